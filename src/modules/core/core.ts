import { CORE, defineModule } from '../module.ts'
import type { Targets } from '../targets.ts'
import { announce } from './announce.ts'
import { cue } from './cue.ts'
import { log } from './log.ts'
import { publishResults } from './publish-results.ts'
import { wait } from './wait.ts'
import { webhook } from './webhook.ts'

/** Cuelight's own actions, posting to these targets. Register it with `core: true`. */
export const coreModule = (targets: Targets) =>
  defineModule({
    id: CORE,
    actions: [wait, cue(targets), announce(targets), webhook(targets), log, publishResults],
  })
