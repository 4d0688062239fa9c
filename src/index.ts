/** What the author of a module imports. */
export type {
  ActionContext,
  ActionDefinition,
  ActionRisk,
  Answer,
  Envelope,
  JsonSchema,
  LogLevel,
  ModuleDefinition,
  ParticipantAnswer,
  ResourceAnswer,
  RevertRequest,
  TriggerDefinition,
} from './modules/module.ts'
export { defineAction, defineModule, defineTrigger } from './modules/module.ts'
