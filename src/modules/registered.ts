import type { CatalogAction } from '../domain/catalog.ts'
import type { Issue } from '../domain/issue.ts'
import type { ActionContext, Envelope, JsonSchema, RevertRequest } from './module.ts'
import type { Checked } from './schema/check.ts'

/** What a step takes from its run's budget, by dimension; or why that cannot be told, which fails the step for good. */
export type Cost = { ok: true; cost: Record<string, number> } | { ok: false; error: string }

/** An action as it was found in order and taken in. */
export type RegisteredAction = CatalogAction & {
  readonly id: string
  readonly module: string
  readonly label: string
  readonly description: string | null
  readonly reversible: 'NONE' | 'REVERT'
  readonly budgetMs: number
  readonly dimensions: readonly string[]
  readonly supportsVerify: boolean
  /** Whether its success ranks and publishes the run's participants; only an action of Cuelight's own can. */
  readonly publishesResults: boolean
  readonly paramsSchema: JsonSchema
  /**
   * Params after placeholders were filled, as the action wants them: texts that read as the number or boolean that is
   * wanted are converted, defaults and transforms applied. Paths are relative to params.
   */
  checkFilled(params: Record<string, unknown>): Checked
  /** What checked params cost; {} for an action without a cost. Never throws. */
  cost(params: Record<string, unknown>): Cost
  /** Calls the author's code as it is; use `callAction`, which bounds and classifies it. */
  perform(envelope: Envelope, context: ActionContext): unknown
  /** The author's code as it is; null where the action is not reversible. */
  readonly revert: ((request: RevertRequest, context: ActionContext) => unknown) | null
}

export type RegisteredTrigger = {
  readonly id: string
  readonly module: string
  readonly label: string
  readonly description: string | null
  readonly payloadSchema: JsonSchema
  /** What is wrong with an emitted payload; paths are relative to it. */
  checkPayload(payload: Record<string, unknown>): Issue[]
}
