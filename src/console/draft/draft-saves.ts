import type { Client } from '@urql/core'
import { DraftDocument, type DraftStateFragment, UpdateDraftDocument } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { retryMs, SAVING } from '../api/retry.ts'
import { type Content, contentOfDraft } from '../definitions/content.ts'
import { changesOf, isSameDraft } from './draft-changes.ts'
import type { DraftView } from './draft-view.ts'
import { issueOfMisfit, localIssues } from './local-issues.ts'
import { whoChanged } from './who-changed.ts'

/** How long nobody has to type before it is saved. */
const REST_MS = 700

const CORRECT_IT = 'Correct what is marked: it cannot be sent like this.'

type DraftSavesOptions = {
  client: Client
  /** The draft as it is now. */
  view(): DraftView
  set(changed: Partial<DraftView>): void
  /** Something is not on the server yet: it has to be kept. */
  onBehind(): void
  /** All that was written is on the server. */
  onArrived(): void
}

/** The way of a draft to the server: never over what somebody else wrote, and again and again while it is away. */
export class DraftSaves {
  readonly #client: Client
  readonly #view: () => DraftView
  readonly #set: (changed: Partial<DraftView>) => void
  readonly #onBehind: () => void
  readonly #onArrived: () => void
  /** The next try; undefined: none is put off. */
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTrying = false
  #isLeft = false
  /** What was sent and never answered: any of it may have arrived. */
  #unanswered: Content[] = []
  /** Tries without an answer since there was one. */
  #failures = 0
  /** The saves, one after another. */
  #saves: Promise<boolean> = Promise.resolve(true)

  constructor({ client, view, set, onBehind, onArrived }: DraftSavesOptions) {
    this.#client = client
    this.#view = view
    this.#set = set
    this.#onBehind = onBehind
    this.#onArrived = onArrived
  }

  /** Somebody writes here, until the answer is called: what is not saved then is sent once, and not tried again. */
  enter(): () => void {
    this.#isLeft = false
    if (this.#view().saving.kind !== 'saved') void this.now()
    return () => {
      this.#isLeft = true
      void this.now()
    }
  }

  /** Now, and not when nobody types any more. Answers whether all is on the server. */
  now(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#saves = this.#saves.then(() => this.#take())
    return this.#saves
  }

  /** When nobody types any more; where the server has trouble, with the next try, which that does not hurry. */
  soon(): void {
    if (this.#failures > 0 && (this.#isTrying || this.#timer !== undefined)) return
    this.#later(REST_MS)
  }

  /** The draft is what it is on the server: what is on its way does not count any more. */
  forget(): void {
    this.#unanswered = []
  }

  /** The draft is another one on the server than it was known to be here. */
  async meet(theirs: DraftStateFragment): Promise<boolean> {
    const { base, content, updatedAt } = this.#view()
    const now = contentOfDraft(theirs)
    const known = [base, content, ...this.#unanswered]
    if (known.some((one) => isSameDraft(now, one))) {
      // It was published, or a save arrived whose answer was lost: nobody wrote anything else.
      this.#unanswered = []
      this.#set({ base: now, updatedAt: theirs.updatedAt, server: theirs, issues: theirs.draftIssues })
      return this.#try()
    }
    this.#set({ conflict: { theirs, who: null, at: null }, saving: { kind: 'unsaved' } })
    const who = await whoChanged(this.#client, theirs.id, updatedAt)
    const { conflict } = this.#view()
    if (who !== null && conflict?.theirs === theirs) this.#set({ conflict: { theirs, who: who.name, at: who.at } })
    return false
  }

  async #take(): Promise<boolean> {
    const { content } = this.#view()
    this.#isTrying = true
    const hasArrived = await this.#try()
    this.#isTrying = false
    const now = this.#view()
    // What was written meanwhile is not what was refused.
    if (now.saving.kind === 'refused' && now.content !== content && this.#timer === undefined) this.soon()
    return hasArrived
  }

  async #try(): Promise<boolean> {
    const { content, base, updatedAt, server, conflict, problem } = this.#view()
    if (conflict !== null) return false
    if (problem !== null || localIssues(content).length > 0) {
      return this.#refuse(
        problem === null ? CORRECT_IT : 'Correct the text, or drop what cannot be read: it cannot be sent like this.',
      )
    }
    const changes = changesOf(base, content)
    if (Object.keys(changes).length === 0) return this.#arrive(content)
    this.#set({ saving: { kind: 'saving' } })
    const outcome = await act(this.#client, UpdateDraftDocument, {
      input: { id: server.id, ifUpdatedAt: updatedAt, ...changes },
    })
    if (outcome.kind === 'unknown') {
      if (!outcome.isPassing) {
        this.#failures = 0
        const misfits = outcome.misfits.map(issueOfMisfit)
        if (misfits.length > 0) this.#set({ issues: [...misfits, ...server.draftIssues] })
        return this.#refuse(misfits.length > 0 ? CORRECT_IT : outcome.message)
      }
      if (!this.#unanswered.includes(content)) this.#unanswered.push(content)
      return this.#tryAgain(outcome.message)
    }
    if (outcome.kind === 'done') {
      const { definition } = outcome.payload
      this.#unanswered = []
      this.#failures = 0
      this.#set({
        base: content,
        updatedAt: definition.updatedAt,
        server: definition,
        issues: definition.draftIssues,
        changedBy: null,
      })
      if (this.#view().content === content && this.#view().problem === null) return this.#arrive(content)
      this.#onBehind()
      this.soon()
      return false
    }
    const message = messageOf(outcome.refusal)
    if (outcome.refusal.code !== 'CONFLICT') {
      this.#failures = 0
      return this.#refuse(message)
    }
    const { data } = await this.#client.query(DraftDocument, { slug: server.slug }, { requestPolicy: 'network-only' })
    if (data?.definition == null) return this.#tryAgain(message)
    this.#failures = 0
    if (data.definition.state === 'ARCHIVED') return this.#refuse(message)
    return this.meet(data.definition)
  }

  #arrive(content: Content): boolean {
    this.#onArrived()
    const { draftIssues } = this.#view().server
    this.#set({ saving: { kind: 'saved' }, base: content, issues: draftIssues, isRestored: false })
    return true
  }

  #refuse(message: string): boolean {
    this.#set({ saving: { kind: 'refused', message } })
    return false
  }

  #tryAgain(message: string): boolean {
    this.#set({ saving: { kind: 'away', message } })
    this.#later(retryMs(this.#failures++, SAVING))
    return false
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#isLeft ? undefined : setTimeout(() => void this.now(), ms)
  }
}
