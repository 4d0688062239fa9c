import type { Catalog } from './catalog.ts'
import type { Issue } from './issue.ts'
import { writtenPath } from './issue-path.ts'
import { isObject } from './plain-object.ts'

/** Keywords by which a JSON Schema may take what its `properties` do not name. */
const OTHERWISE = ['patternProperties', 'propertyNames', 'allOf', 'anyOf', 'oneOf', 'if', '$ref', '$dynamicRef']

/**
 * What is allowed but odd in the params of steps: a param that the action's schema does not name and yet takes, which
 * actions do not see or pass over. Those that it refuses are issues.
 */
export function paramWarnings(phases: unknown, catalog: Catalog): Issue[] {
  if (!Array.isArray(phases)) return []
  return phases.flatMap((phase: unknown, index) => {
    const steps = isObject(phase) && Array.isArray(phase.steps) ? phase.steps : []
    return steps.flatMap((step: unknown, seq) =>
      isObject(step) ? unnamed(step, `phases[${index}].steps[${seq}].params`, catalog) : [],
    )
  })
}

function unnamed({ actionId, params }: Record<string, unknown>, path: string, catalog: Catalog): Issue[] {
  const action = typeof actionId === 'string' ? catalog.action(actionId) : undefined
  if (action === undefined || !isObject(params)) return []
  const { properties, additionalProperties } = action.paramsSchema
  // Said outright: others are refused (false), or taken.
  if (!isObject(properties) || additionalProperties !== undefined) return []
  if (OTHERWISE.some((keyword) => keyword in action.paramsSchema)) return []
  return Object.keys(params)
    .filter((key) => !Object.hasOwn(properties, key))
    .map((key) => ({
      path: writtenPath([key], path),
      message: `${actionId} names no such param and may pass it over; use one of ${Object.keys(properties).join(', ')}, or remove it.`,
    }))
}
