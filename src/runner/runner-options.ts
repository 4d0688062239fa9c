import type { WorkContext } from './work-context.ts'

/** What a runner is given; the rest of its work's context it makes. */
export type RunnerOptions = Pick<
  WorkContext,
  'db' | 'changes' | 'clock' | 'registry' | 'zones' | 'settings' | 'log'
> & {
  /** Without one, what looks like a secret is struck out. */
  censor?: WorkContext['censor']
  /** Without one, nothing is counted. */
  meter?: WorkContext['meter']
  /** This process in claims and log lines; must be unique among the processes of a database. */
  worker?: string
}
