import { z } from 'zod'
import type { CatalogAction } from '../domain/catalog.ts'
import type { Parameter } from '../domain/parameters.ts'
import { isObject } from '../domain/plain-object.ts'
import { IntlZones } from '../domain/recurrence/intl-zones.ts'
import { parseDraftSpec, parseParameters } from '../domain/spec.ts'
import { type DraftFindings, validateDraft } from '../domain/validate-draft.ts'
import { checkDraft } from '../modules/schema/check.ts'
import { compileJsonSchema } from '../modules/schema/json-schema.ts'
import type { CompiledSchema } from '../modules/schema/schema.ts'
import { askApi } from './api.ts'
import type { ClientConfig } from './config.ts'
import type { DefinitionFile } from './definition-file.ts'

const JsonObject = z.custom<Record<string, unknown>>(isObject)
const Known = z.object({
  actions: z.array(
    z.object({
      id: z.string(),
      version: z.number(),
      risk: z.enum(['NOTIFY', 'CHANGE', 'IRREVERSIBLE']),
      paramsSchema: JsonObject,
    }),
  ),
  triggers: z.array(z.object({ id: z.string(), payloadSchema: JsonObject })),
})

const NOTHING: DraftFindings = { issues: [], warnings: [] }

/**
 * Judges files by the rules of drafts and by the actions and triggers that the server has, without saving anything. What
 * an action checks by code of its own, beyond the JSON Schema of its params, only saving finds.
 */
export async function draftCheck(config: ClientConfig): Promise<(file: DefinitionFile) => DraftFindings> {
  const known = await askApi(config, {
    document: 'query { actions { id version risk paramsSchema } triggers { id payloadSchema } }',
    shape: Known,
  })
  const actions = new Map(known.actions.map((action) => [action.id, catalogAction(action)]))
  const triggers = new Map(known.triggers.map((trigger) => [trigger.id, trigger]))
  const context = {
    catalog: { action: (id: string) => actions.get(id), trigger: (id: string) => triggers.get(id) },
    zones: new IntlZones(),
  }
  return ({ input }) => {
    const [spec, parameters] = [parseDraftSpec(input.spec), parametersOf(input.parameters ?? [])]
    // The API takes forms that only the server reads, such as one thing where a list is due.
    if (spec === null || parameters === null) return NOTHING
    const { title, timeZone, graceSeconds, concurrencyKey } = input
    const draft = {
      title,
      spec,
      timeZone: timeZone ?? 'UTC',
      graceSeconds: graceSeconds ?? 900,
      concurrencyKey: concurrencyKey ?? null,
      parameters,
    }
    return validateDraft(draft, context)
  }
}

function parametersOf(given: unknown): Parameter[] | null {
  try {
    return parseParameters(given)
  } catch {
    return null
  }
}

function catalogAction({ version, risk, paramsSchema }: z.infer<typeof Known>['actions'][number]): CatalogAction {
  // Once it is asked for: a server may have very many actions.
  let compiled: CompiledSchema | undefined
  const check = (params: Record<string, unknown>) => {
    compiled ??= compileJsonSchema(paramsSchema)
    return compiled.ok ? checkDraft(compiled.schema, params) : []
  }
  return { version, risk, paramsSchema, checkDraft: check }
}
