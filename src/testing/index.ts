/** What the author of a module tests it with. */
export type { RunStatus } from '../domain/run.ts'
export type { StepStatus } from '../domain/step.ts'
export type { Waiting } from '../domain/waiting.ts'
export type { EmitOptions, Emitted } from './emit.ts'
export type { EventInput } from './event.ts'
export type { Post } from './recording-targets.ts'
export { Refused } from './refused.ts'
export type { TestRun } from './run.ts'
export type { LogLine, ParticipantState, RunState, StepState } from './run-view.ts'
export {
  createTestServer,
  type PlayOptions,
  type TestServer,
  type TestServerOptions,
} from './server.ts'
export type { ActionSettings } from './setting.ts'
