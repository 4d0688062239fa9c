import './scalars.ts'
import './viewer.ts'
import './node.ts'
import './definition.ts'
import './runs.ts'
import './cue.ts'
import './gate.ts'
import './modules.ts'
import './definition-mutations.ts'
import './run-mutations.ts'
import './step-mutations.ts'
import './subscriptions/run-log.ts'
import './subscriptions/cues.ts'
import { countValues } from './answer-size.ts'
import { builder } from './builder.ts'

/** The API. Execute it with executeOperation and subscribeOperation (execute.ts): they hold the rules of access. */
export const schema = countValues(builder.toSchema({ sortSchema: true }))
