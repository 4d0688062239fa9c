import { type IdType, typeOfPrefix } from '../domain/ids.ts'
import { wrongUsage } from './failure.ts'

const NAMES: Readonly<Record<IdType, string>> = {
  Definition: 'an event',
  Version: 'a version',
  Run: 'a run',
  Step: 'a step',
  Cue: 'a cue',
  Resource: 'a resource',
  ApiToken: 'a token',
}

/** Throws a CommandFailure where what was given is an id of something else; `give` says what to give instead. */
export function refuseOtherIds(given: string, { takes, give }: { takes: readonly IdType[]; give: string }): void {
  const type = typeOfPrefix(given)
  if (type === null || takes.includes(type)) return
  throw wrongUsage(`${given} is the id of ${NAMES[type]}; give ${give}.`)
}
