import { setMaxListeners } from 'node:events'
import { z } from 'zod'
import type { Clock } from '../domain/clock.ts'
import { admit } from './admission.ts'
import { moduleOf } from './manifest.ts'
import { Outbound } from './outbound.ts'
import { ownerAddress, readOwnerList, signingSecret } from './owner-setting.ts'
import type { Registry } from './registry.ts'
import { ANSWER_BYTES, type ManifestRead, type RemoteModule, RemoteWorld } from './remote-world.ts'

export type { RemoteModule } from './remote-world.ts'

const SETTING = 'CUELIGHT_REMOTE_MODULES'
/** A module that is not registered is asked again after the first pause, then after twice as long, up to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const MANIFEST_MS = 5_000

export type RemoteModulesOptions = {
  modules: readonly RemoteModule[]
  registry: Registry
  clock: Clock
  log(level: 'info' | 'error', message: string): void
  /** How long a world may take to answer with its manifest. */
  manifestMs?: number
}

/** The modules over HTTP of this server, from the first question for a manifest to the last call. */
export class RemoteModules {
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #log: RemoteModulesOptions['log']
  readonly #manifestMs: number
  readonly #worlds: { source: string; world: RemoteWorld }[]
  readonly #outbound = new Outbound({ responseBytes: ANSWER_BYTES })
  readonly #stopping = new AbortController()
  readonly #retries: Promise<void>[] = []
  /** What is wrong with each module, as it was last logged. */
  readonly #complaints = new Map<string, string>()

  constructor({ modules, registry, clock, log, manifestMs = MANIFEST_MS }: RemoteModulesOptions) {
    this.#registry = registry
    this.#clock = clock
    this.#log = log
    this.#manifestMs = manifestMs
    // Every module that is asked waits on it.
    setMaxListeners(0, this.#stopping.signal)
    this.#worlds = modules.map((module, index) => ({
      // Not by its address, which is nobody's business: what stands here is shown to anyone.
      source: `${SETTING}[${index}]`,
      world: new RemoteWorld(module, this.#outbound),
    }))
  }

  /**
   * Asks every module for its manifest, side by side, and registers those that are in order. The others are reported to
   * the log and in `registry.failures()`, and asked again in the background until they register or `stop` is called.
   * Never rejects.
   */
  async start(): Promise<void> {
    const { signal } = this.#stopping
    const read = await Promise.all(
      this.#worlds.map(async ({ source, world }) => ({
        source,
        world,
        read: await world.manifest({ signal, timeoutMs: this.#manifestMs }),
      })),
    )
    if (signal.aborted) return
    for (const asked of read) if (!this.#take(asked)) this.#retries.push(this.#askAgain(asked))
  }

  /** Gives up on modules that are not registered, and breaks off calls in flight. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#retries)
    await this.#outbound.close()
  }

  async #askAgain({ source, world }: { source: string; world: RemoteWorld }): Promise<void> {
    const { signal } = this.#stopping
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await this.#clock.sleepUntil(this.#clock.now() + pauseMs, signal)
      if (signal.aborted) return
      const read = await world.manifest({ signal, timeoutMs: this.#manifestMs })
      if (signal.aborted || this.#take({ source, world, read })) return
    }
  }

  /** Whether the module is registered now. Its manifest is not read again then: what it says holds until the next start. */
  #take({ source, world, read }: { source: string; world: RemoteWorld; read: ManifestRead }): boolean {
    this.#registry.forgive(source)
    const problems = read.ok ? this.#register(source, world, read.manifest) : this.#refuse(source, [read.problem])
    if (problems.length === 0) return true
    const complaint = problems.join(' ')
    if (this.#complaints.get(source) !== complaint) {
      this.#complaints.set(source, complaint)
      const until = 'It is asked again until it is in order.'
      this.#log('error', `Module ${source} is not loaded, and its actions are not registered. ${complaint} ${until}`)
    }
    return false
  }

  /** What keeps the module from being registered. */
  #register(source: string, world: RemoteWorld, manifest: Record<string, unknown>): string[] {
    const { module, problems } = moduleOf(manifest, world)
    if (problems.length > 0) {
      const admission = admit(module)
      return this.#refuse(source, admission.ok ? problems : [...admission.problems, ...problems])
    }
    const registration = this.#registry.register(module, { source })
    if (!registration.ok) return registration.problems
    this.#log('info', `Module "${registration.id}" loaded from ${source}.`)
    return []
  }

  #refuse(source: string, problems: string[]): string[] {
    this.#registry.fail({ source, problems })
    return problems
  }
}

const remoteModuleShape = z.strictObject({
  url: ownerAddress.refine(
    (text) => !/[?#]/.test(text),
    'must have no ? and no #, because /manifest, /perform and /revert are put behind it; correct it.',
  ),
  secret: signingSecret('must be a text; give the secret that its requests are signed with.'),
})

/**
 * Reads the value of CUELIGHT_REMOTE_MODULES, a JSON list: `[{"url": "https://world.example", "secret": "whsec_…"}]`.
 * Each problem is a sentence that names the field and quotes neither addresses nor secrets; with a problem there are no
 * modules.
 */
export function parseRemoteModules(text: string | undefined): { modules: RemoteModule[]; problems: string[] } {
  const { entries, problems } = readOwnerList<RemoteModule>(SETTING, text, {
    shape: remoteModuleShape,
    example: '[{"url": "https://world.example", "secret": "whsec_…"}]',
    among(modules) {
      const urls = modules.map(({ url }) => url.replace(/\/+$/, ''))
      return urls.flatMap((url, index) => {
        const first = urls.indexOf(url)
        return first < index ? [`[${index}].url is the same as that of [${first}]; remove one.`] : []
      })
    },
  })
  return { modules: entries, problems }
}
