/** One dimension of a run's budget, as it is copied from the settings; cap null: counted, not bounded. */
export type BudgetCap = {
  dimension: string
  cap: number | null /** The action whose setting gives the cap. */
  from: string | null
}

/** What an admin set for an action; a null cap bounds nothing. */
export type Setting = { enabled: boolean; caps: readonly { dimension: string; cap: number | null }[] }

/**
 * The caps of a version: of each dimension the smallest that any of its actions sets, of equal ones that of the first by name.
 * `settings`: by action; what an admin set nothing for is enabled and without caps.
 */
export function capsOf(
  actionIds: readonly string[],
  settings: ReadonlyMap<string, Setting>,
): Map<string, { cap: number; from: string }> {
  const caps = new Map<string, { cap: number; from: string }>()
  for (const from of [...new Set(actionIds)].sort()) {
    for (const { dimension, cap } of settings.get(from)?.caps ?? []) {
      if (cap !== null && cap < (caps.get(dimension)?.cap ?? Number.POSITIVE_INFINITY))
        caps.set(dimension, { cap, from })
    }
  }
  return caps
}

type Catalog = { action(id: string): { readonly dimensions: readonly string[] } | undefined }

/**
 * Whether a run of a version with these actions may have a budget. Of an action that is not registered nobody knows what
 * it counts; it may be registered while the run goes on.
 */
export const mayCount = (actionIds: readonly string[], catalog: Catalog): boolean =>
  actionIds.some((id) => catalog.action(id)?.dimensions.length !== 0)

/**
 * The budget of a run: every dimension that one of its actions declares, or has a cap for while it is not registered,
 * with the cap of the version.
 */
export function budgetOf(
  actionIds: readonly string[],
  settings: ReadonlyMap<string, Setting>,
  catalog: Catalog,
): BudgetCap[] {
  const dimensions = actionIds.flatMap(
    (id) => catalog.action(id)?.dimensions ?? settings.get(id)?.caps.map(({ dimension }) => dimension) ?? [],
  )
  const caps = capsOf(actionIds, settings)
  return [...new Set(dimensions)]
    .sort()
    .map((dimension) => ({ dimension, ...(caps.get(dimension) ?? { cap: null, from: null }) }))
}

/** The actions of a version, each once, in the order of its steps. */
export function actionsOf(phases: readonly { steps: readonly { actionId: string }[] }[]): string[] {
  return [...new Set(phases.flatMap(({ steps }) => steps.map(({ actionId }) => actionId)))]
}

/**
 * An amount with the 15 digits that a float keeps of a decimal, so that what people add up comes out as they would
 * write it: 0.1 and 0.2 are 0.3. PostgreSQL rounds alike when it makes a float a numeric.
 */
const rounded = (amount: number): number => Number(amount.toPrecision(15))

/** What a meter shows after a cost; both 0 or more. */
export const spentAfter = (consumed: number, cost: number): number => rounded(consumed + cost)

/** What is left under a cap. */
export const leftOf = (cap: number, consumed: number): number => rounded(cap - consumed)

/** Whether a cost fits; a null cap bounds nothing. */
export function hasRoom({ consumed, cost, cap }: { consumed: number; cost: number; cap: number | null }): boolean {
  return cap === null || spentAfter(consumed, cost) <= rounded(cap)
}
