import type { ZodType } from 'zod'

/** A JSON Schema (draft 2020-12 or draft-07) as plain data. */
export type JsonSchema = { [keyword: string]: unknown }

/** The id of Cuelight's own module. */
export const CORE = 'core'

/** How much harm a failure does; decides what a failed step does to its run where the author does not say. */
export type ActionRisk = 'notify' | 'change' | 'irreversible'

/** What an action is called with. Ids are as the API shows them; both are null in a verification. */
export type Envelope<P = Record<string, unknown>> = {
  runId: string | null
  stepId: string | null
  scope: string
  params: P
  /** Who started the run; 'system' is the schedule. */
  actor: { kind: 'user' | 'token' | 'system'; name: string }
  /** The same for every attempt of one step: the world can recognise a repeat by it. */
  idempotencyKey: string
  /** True: say whether it would work, change nothing. */
  verify: boolean
}

export type LogLevel = 'info' | 'warn' | 'error'
export type ActionContext = {
  /** Fires at the action's budget and when the server stops. */
  signal: AbortSignal
  /** Writes a `step.message` line into the run's log. */
  log(message: string, level?: LogLevel): void
}

/** Something that an action made in the world and that has to be taken back in the end. */
export type ResourceAnswer = {
  kind: string
  ref: string
  payload?: Record<string, unknown>
  leaseUntil?: string | Date
  memberKey?: string
}
export type ParticipantAnswer = {
  memberKey: string
  userId?: string
  score?: number
  joinedAt?: string | Date
  meta?: Record<string, unknown>
}

/** What an action answers. Anything else counts as a transient failure. */
export type Answer =
  | {
      ok: true
      /** Seconds until what follows may start; 0 to 7 days. */
      holdFor?: number | string
      /** Parks the step until a person confirms it. */
      await?: 'human'
      /** What that person is asked to do. */
      instruction?: string
      resources?: ResourceAnswer[]
      participants?: ParticipantAnswer[]
      output?: Record<string, unknown>
    }
  | { ok: false; error: string; retry?: boolean }

export type RevertRequest = {
  resource: { id: string; kind: string; ref: string; payload: Record<string, unknown> | null; memberKey: string | null }
  runId: string
  stepId: string
  scope: string
  idempotencyKey: string
}

export type ActionDefinition<P = Record<string, unknown>> = {
  /** Starts with the module's id and a dot. */
  id: string
  label: string
  description?: string
  /** Raised when its meaning changes. */
  version: number
  risk: ActionRisk
  reversible?: 'none' | 'revert'
  /** An answer later than this is a timeout; 1 to 3,600,000. */
  budgetMs: number
  params: ZodType<P> | JsonSchema
  /** Countable effects that `cost` may name. */
  dimensions?: readonly string[]
  cost?(params: P): Record<string, number>
  supportsVerify?: boolean
  perform(envelope: Envelope<P>, context: ActionContext): Promise<Answer> | Answer
  revert?(request: RevertRequest, context: ActionContext): Promise<Answer> | Answer
}

export type TriggerDefinition<P = Record<string, unknown>> = {
  /** Starts with the module's id and a dot. */
  id: string
  label: string
  description?: string
  payload: ZodType<P> | JsonSchema
}

// A module holds actions of unlike params; each action's own types are checked where defineAction builds it.
export type ModuleDefinition = {
  /** `[a-z][a-z0-9-]*`; 'core' is Cuelight's own. */
  id: string
  actions?: readonly ActionDefinition<never>[]
  triggers?: readonly TriggerDefinition<never>[]
}

/** Adds types, nothing else: a plain object of this shape is the same module. */
export const defineModule = (module: ModuleDefinition): ModuleDefinition => module
/** Adds types: `perform`, `cost` and `revert` see params as the schema makes them. */
export const defineAction = <P = Record<string, unknown>>(action: ActionDefinition<P>): ActionDefinition<never> =>
  action as unknown as ActionDefinition<never>
export const defineTrigger = <P = Record<string, unknown>>(trigger: TriggerDefinition<P>): TriggerDefinition<never> =>
  trigger as unknown as TriggerDefinition<never>
