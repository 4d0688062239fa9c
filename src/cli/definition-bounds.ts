import { DURATION_PATTERN } from '../domain/duration.ts'
import { LOCAL_DATE_TIME } from '../domain/local-time.ts'
import { MAX_OPTIONS, MAX_PARAMETER_NAME, MAX_PARAMETERS } from '../domain/parameters.ts'
import { SLUG } from '../domain/slug.ts'
import { PARAMETER_NAME } from '../domain/template.ts'
import { MAX_GRACE_SECONDS, MAX_TITLE } from '../domain/validate-draft.ts'
import { MAX_COUNT, MAX_PHASES, MAX_STEPS, PHASE_KEY } from '../domain/validate-phases.ts'

type Bounds = Readonly<Record<string, unknown>>

/** What publishing wants of texts that the API takes as any, by scalar, in the words of JSON Schema. */
export const SCALAR_BOUNDS: Readonly<Record<string, Bounds>> = {
  Duration: { pattern: DURATION_PATTERN },
  LocalDateTime: { pattern: LOCAL_DATE_TIME.source },
}

/** The same by field: `PhaseSpecInput.key`. */
export const FIELD_BOUNDS: Readonly<Record<string, Bounds>> = {
  'CreateDefinitionInput.slug': { pattern: SLUG.source },
  'CreateDefinitionInput.title': { pattern: '\\S', maxLength: MAX_TITLE },
  'CreateDefinitionInput.graceSeconds': { minimum: 0, maximum: MAX_GRACE_SECONDS },
  'CreateDefinitionInput.parameters': { maxItems: MAX_PARAMETERS },
  'ParameterInput.name': { pattern: PARAMETER_NAME.source, maxLength: MAX_PARAMETER_NAME },
  'ParameterInput.options': { minItems: 1, maxItems: MAX_OPTIONS },
  'EventSpecInput.phases': { minItems: 1, maxItems: MAX_PHASES },
  'PhaseSpecInput.key': { pattern: PHASE_KEY.source },
  'PhaseSpecInput.steps': { maxItems: MAX_STEPS },
  'StepSpecInput.actionId': { minLength: 1 },
  'TriggerGateInput.on': { minLength: 1 },
  'TriggerGateInput.count': { minimum: 1, maximum: MAX_COUNT },
}
