import type { ControlContext } from '../controls/context.ts'
import type { Role } from '../domain/access.ts'
import type { Actor } from '../domain/actor.ts'
import type { Registry } from '../modules/registry.ts'

/** What every resolver gets: who asks, and what the server is made of. One is made for each operation. */
export type GraphqlContext = {
  /** Null: no token was sent. */
  actor: Actor | null
  role: Role | null
  control: ControlContext
  registry: Registry
  /** The origin that people reach this server at; null: not known. */
  publicUrl: string | null
  /** Told of every fault that a client sees masked, with the id that the client got. */
  onFault(fault: { id: string; error: unknown }): void
  /** Told once of what keeps a subscription from looking for changes, which it goes on trying. */
  onOutage(error: unknown): void
}

/** Who acts, in a resolver behind a rule that lets nobody in without a token. */
export function actorOf(context: GraphqlContext): Actor {
  if (context.actor === null) throw new Error('a control was reached without an actor')
  return context.actor
}
