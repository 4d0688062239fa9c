import { z } from 'zod'
import {
  type ActionContext,
  type Answer,
  defineAction,
  defineModule,
  defineTrigger,
  type Envelope,
  type RevertRequest,
} from '../../src/modules/module.ts'

type Perform = (envelope: Envelope, context: ActionContext) => unknown
type Call = Envelope & { key: string }
type Revert = (request: RevertRequest, context: ActionContext) => unknown

const PARAMS = z.object({ key: z.string(), count: z.number().int().optional() })
type Params = z.infer<typeof PARAMS>

type Hung = { called: Promise<void>; answer: (answer: unknown) => void }

const refOf = ({ resource }: RevertRequest) => (resource.kind === '@step' ? '@step' : resource.ref)

/** A module whose actions do what a test says, and which remembers how it was called. */
export class Script {
  readonly calls: Call[] = []
  readonly reverts: RevertRequest[] = []
  readonly #performs = new Map<string, Perform>()
  readonly #takeBacks = new Map<string, Revert>()
  readonly #hanging = new Set<unknown>()

  /** What a step with `params.key` does; without it a step is done at once. */
  on(key: string, perform: Perform): void {
    this.#performs.set(key, perform)
  }

  /** Answers one after the other, the last one for good. */
  answers(key: string, ...answers: unknown[]): void {
    let next = 0
    this.on(key, () => answers[Math.min(next++, answers.length - 1)])
  }

  /** What taking back the resource of that ref does; without it it is taken back at once. Placeholders' is '@step'. */
  onRevert(ref: string, revert: Revert): void {
    this.#takeBacks.set(ref, revert)
  }

  /** Answers one after the other, the last one for good. */
  revertAnswers(ref: string, ...answers: unknown[]): void {
    let next = 0
    this.onRevert(ref, () => answers[Math.min(next++, answers.length - 1)])
  }

  /** Taking back the resource of that ref hangs until `answer` is called; `called` resolves when its revert is. */
  hangRevert(ref: string): Hung {
    return this.#hang(ref, (perform) => this.onRevert(ref, perform))
  }

  /** The step hangs until `answer` is called; `called` resolves when its action is. */
  hang(key: string): Hung {
    return this.#hang(key, (perform) => this.on(key, perform))
  }

  #hang(key: string, on: (perform: () => unknown) => void): Hung {
    let answer: (answer: unknown) => void = () => {}
    let signalCall = () => {}
    const called = new Promise<void>((resolve) => {
      signalCall = resolve
    })
    const answered = new Promise((resolve) => {
      answer = resolve
    })
    on(() => {
      signalCall()
      return answered
    })
    this.#hanging.add(key)
    return {
      called,
      answer: (value) => {
        this.#hanging.delete(key)
        answer(value)
      },
    }
  }

  hangs(key: unknown): boolean {
    return this.#hanging.has(key)
  }

  keys(): string[] {
    return this.calls.map((call) => call.key)
  }

  /** The refs of what was taken back, as often as it was tried; '@step' for a placeholder. */
  reverted(): string[] {
    return this.reverts.map(refOf)
  }

  #reversible() {
    return {
      reversible: 'revert' as const,
      revert: (request: RevertRequest, context: ActionContext) => {
        this.reverts.push(request)
        const revert = this.#takeBacks.get(refOf(request))
        return (revert === undefined ? { ok: true } : revert(request, context)) as Answer
      },
    }
  }

  readonly module = defineModule({
    id: 'test',
    triggers: [
      defineTrigger({
        id: 'test.slain',
        label: 'A boss was slain',
        payload: z.object({ boss: z.string().optional(), level: z.number().optional() }),
      }),
      defineTrigger({ id: 'test.other', label: 'Something else happened', payload: z.object({}) }),
    ],
    actions: [
      { id: 'test.notify', risk: 'notify' as const, budgetMs: 10_000 },
      { id: 'test.change', risk: 'change' as const, budgetMs: 10_000 },
      { id: 'test.slow', risk: 'change' as const, budgetMs: 3_600_000 },
      {
        id: 'test.make',
        risk: 'change' as const,
        budgetMs: 3_600_000,
        dimensions: ['things'],
        cost: ({ count = 0 }: Params) => ({ things: count }),
        ...this.#reversible(),
      },
      { id: 'test.spawn', risk: 'change' as const, budgetMs: 10_000, supportsVerify: true, ...this.#reversible() },
    ].map((action) =>
      defineAction<Params>({
        ...action,
        label: `Test ${action.id}`,
        version: 1,
        params: PARAMS,
        perform: (envelope, context) => {
          this.calls.push({ ...envelope, key: envelope.params.key })
          const perform = this.#performs.get(envelope.params.key)
          return (perform === undefined ? { ok: true } : perform(envelope, context)) as Answer
        },
      }),
    ),
  })
}
