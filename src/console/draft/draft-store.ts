import type { Client } from '@urql/core'
import { DraftDocument, type DraftStateFragment, UpdateDraftDocument } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { Signal } from '../api/signal.ts'
import { type Content, contentOfDraft } from '../definitions/content.ts'
import { isSame } from '../definitions/json.ts'
import type { Backups, Kept } from './backup.ts'
import { changesOf, isSameDraft, joined } from './draft-changes.ts'
import { beginningOf, type DraftView, type Saving, textOfView } from './draft-view.ts'
import { issueOfMisfit, localIssues } from './local-issues.ts'
import { readText, textOfContent } from './spec-text.ts'
import { Steps } from './steps.ts'
import { whoChanged } from './who-changed.ts'

/** How long nobody has to type before it is saved. */
const REST_MS = 700
/** Between two tries to save while the server is away. */
const RETRY_MS = 3_000

const CORRECT_IT = 'Correct what is marked: it cannot be sent like this.'

type DraftStoreOptions = {
  client: Client
  server: DraftStateFragment
  backups: Backups
  /** Who is signed in: only what they wrote is gone on with unasked. */
  writer: string
}

/**
 * A draft that is being written, and its way to the server: saved as one types, never over what somebody else wrote.
 * What is not on the server yet is kept in this browser.
 */
export class DraftStore {
  readonly view: Signal<DraftView>
  readonly #client: Client
  readonly #backups: Backups
  readonly #writer: string
  readonly #steps = new Steps()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLeft = false
  /** What was sent and never answered: any of it may have arrived. */
  #unanswered: Content[] = []
  /** The saves, one after another. */
  #saves: Promise<boolean> = Promise.resolve(true)

  constructor({ client, server, backups, writer }: DraftStoreOptions) {
    this.#client = client
    this.#backups = backups
    this.#writer = writer
    const missing = backups.missingIn(contentOfDraft(server))
    const mine = missing.find(({ by }) => by === writer) ?? null
    this.view = new Signal<DraftView>({
      server,
      isKept: true,
      issues: server.draftIssues,
      changedBy: null,
      offers: missing.filter((one) => one !== mine),
      canUndo: false,
      canRedo: false,
      ...beginningOf(server, mine),
    })
    if (mine !== null) this.#begin(mine)
  }

  /** Somebody writes here, until the answer is called: what is not saved then is sent, and kept until it has arrived. */
  enter(): () => void {
    this.#isLeft = false
    if (this.view.value.saving.kind !== 'saved') void this.save()
    return () => {
      this.#isLeft = true
      void this.save()
    }
  }

  /** Changes the draft; `place` says where, so that what is typed in one go is undone together. */
  edit(change: (content: Content) => Content, place = ''): void {
    const { content } = this.view.value
    const changed = change(content)
    if (changed !== content) this.#steps.did(content, place)
    this.#write(changed)
  }

  /** Shows the draft as a text to be written. */
  showText(): void {
    this.#set({ text: textOfContent(this.view.value.content), problem: null })
  }

  /** Shows it as a form again, unless the form would not have what the text says. Answers whether it did. */
  showForm(): boolean {
    if (this.view.value.problem !== null) return false
    this.#set({ text: null })
    return true
  }

  /** What is written as text is the draft as soon as it can be read; until then all stays as it was written over. */
  writeText(text: string): void {
    const read = readText(text)
    this.#set({ text, problem: read.ok ? null : read.problem })
    if (read.ok) this.edit((content) => (isSame(content, read.content) ? content : read.content), 'text')
    else this.#write(this.view.value.content)
  }

  /** Gives up a text that cannot be read. */
  dropText(): void {
    this.showText()
    this.#write(this.view.value.content)
    // What somebody else wrote meanwhile waited for this.
    void this.save().then(() => this.look(this.view.value.server))
  }

  undo(): void {
    const { content, problem } = this.view.value
    const next = problem === null ? this.#steps.undo(content) : null
    if (next !== null) this.#write(next)
  }

  redo(): void {
    const { content, problem } = this.view.value
    const next = problem === null ? this.#steps.redo(content) : null
    if (next !== null) this.#write(next)
  }

  /** Goes on with something that was offered, once nothing else is on its way. Undoing goes back. */
  takeOffer(offer: Kept): void {
    const { server, content, saving, offers } = this.view.value
    if (saving.kind !== 'saved') return
    this.#steps.restart(content)
    const others = offers.filter((one) => one !== offer)
    this.#set({ ...beginningOf(server, offer), ...this.#canStep(), changedBy: null, offers: others })
    this.#begin(offer)
    void this.save()
  }

  dropOffer(offer: Kept): void {
    this.#backups.forget(offer)
    this.#set({ offers: this.view.value.offers.filter((one) => one !== offer) })
  }

  /** Goes on with what somebody else wrote. What was changed here can be had back by undoing. */
  takeTheirs(): void {
    const { conflict, content, base, problem } = this.view.value
    if (conflict === null || problem !== null) return
    this.#steps.restart(joined({ base, mine: content, theirs: contentOfDraft(conflict.theirs) }))
    this.#adopt(conflict.theirs)
  }

  /** Writes what was changed here over what somebody else wrote, which was shown; what they alone changed is taken. */
  keepMine(): void {
    const { conflict, content, base, problem } = this.view.value
    if (conflict === null || problem !== null) return
    const theirs = contentOfDraft(conflict.theirs)
    this.#steps.restart(theirs)
    this.#set({
      content: joined({ base, mine: content, theirs }),
      base: theirs,
      updatedAt: conflict.theirs.updatedAt,
      server: conflict.theirs,
      conflict: null,
      ...this.#canStep(),
    })
    this.#backUp()
    void this.save()
  }

  /** What is on the server now: it is shown where nothing is being written here. */
  look(server: DraftStateFragment): void {
    const { updatedAt, saving, conflict, content } = this.view.value
    if (saving.kind !== 'saved' || conflict !== null || Date.parse(server.updatedAt) <= Date.parse(updatedAt)) return
    if (isSameDraft(contentOfDraft(server), content)) {
      this.#set({ server, updatedAt: server.updatedAt, issues: server.draftIssues })
      return
    }
    this.#steps.restart(null)
    this.#adopt(server)
    void whoChanged(this.#client, server.id, updatedAt).then((who) => this.#set({ changedBy: who?.name ?? 'Somebody' }))
  }

  /** Now, and not when nobody types any more. Answers whether all is on the server. */
  save(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#saves = this.#saves.then(() => this.#trySave())
    return this.#saves
  }

  async #trySave(): Promise<boolean> {
    const { content, base, updatedAt, server, conflict, problem } = this.view.value
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
    if (outcome.kind === 'done') {
      const { definition } = outcome.payload
      this.#unanswered = []
      this.#set({
        base: content,
        updatedAt: definition.updatedAt,
        server: definition,
        issues: definition.draftIssues,
        changedBy: null,
      })
      if (this.view.value.content === content && this.view.value.problem === null) return this.#arrive(content)
      this.#backUp()
      this.#later(REST_MS)
      return false
    }
    if (outcome.kind === 'unknown') {
      if (!outcome.isPassing) {
        const misfits = outcome.misfits.map(issueOfMisfit)
        if (misfits.length > 0) this.#set({ issues: [...misfits, ...server.draftIssues] })
        return this.#refuse(misfits.length > 0 ? CORRECT_IT : outcome.message)
      }
      if (!this.#unanswered.includes(content)) this.#unanswered.push(content)
      return this.#tryAgain(outcome.message)
    }
    const message = messageOf(outcome.refusal)
    if (outcome.refusal.code !== 'CONFLICT') return this.#refuse(message)
    const { data } = await this.#client.query(DraftDocument, { slug: server.slug }, { requestPolicy: 'network-only' })
    if (data?.definition == null) return this.#tryAgain(message)
    if (data.definition.state === 'ARCHIVED') return this.#refuse(message)
    return this.#meet(data.definition)
  }

  /** The draft is another one on the server than it was known to be here. */
  async #meet(theirs: DraftStateFragment): Promise<boolean> {
    const { base, content, updatedAt } = this.view.value
    const now = contentOfDraft(theirs)
    const known = [base, content, ...this.#unanswered]
    if (known.some((one) => isSameDraft(now, one))) {
      // It was published, or a save arrived whose answer was lost: nobody wrote anything else.
      this.#unanswered = []
      this.#set({ base: now, updatedAt: theirs.updatedAt, server: theirs, issues: theirs.draftIssues })
      return this.#trySave()
    }
    this.#set({ conflict: { theirs, who: null, at: null }, saving: { kind: 'unsaved' } })
    const who = await whoChanged(this.#client, theirs.id, updatedAt)
    const { conflict } = this.view.value
    if (who !== null && conflict?.theirs === theirs) this.#set({ conflict: { theirs, who: who.name, at: who.at } })
    return false
  }

  #adopt(server: DraftStateFragment): void {
    const content = contentOfDraft(server)
    this.#unanswered = []
    this.#backups.forgetOwn()
    this.#set({
      content,
      base: content,
      updatedAt: server.updatedAt,
      server,
      issues: server.draftIssues,
      conflict: null,
      saving: { kind: 'saved' },
      isRestored: false,
      ...this.#canStep(),
    })
  }

  #arrive(content: Content): boolean {
    const { server } = this.view.value
    this.#backups.forgetOwn()
    this.#set({ saving: { kind: 'saved' }, base: content, issues: server.draftIssues, isRestored: false })
    return true
  }

  #refuse(message: string): boolean {
    this.#set({ saving: { kind: 'refused', message } })
    return false
  }

  #tryAgain(message: string): boolean {
    this.#set({ saving: { kind: 'away', message } })
    this.#later(RETRY_MS)
    return false
  }

  #write(content: Content): void {
    const { conflict, saving } = this.view.value
    const next: Saving = saving.kind === 'saving' ? saving : { kind: 'unsaved' }
    const { draftIssues } = this.view.value.server
    this.#set({
      content,
      issues: [...localIssues(content), ...draftIssues],
      saving: next,
      changedBy: null,
      ...this.#canStep(),
    })
    this.#backUp()
    if (conflict === null) this.#later(REST_MS)
  }

  #begin(backup: Kept): void {
    this.#backups.goOnFrom(backup)
    const { conflict } = this.view.value
    if (conflict !== null) void this.#meet(conflict.theirs)
  }

  #backUp(): void {
    const { updatedAt, content, base, text, problem } = this.view.value
    const unread = problem === null ? null : text
    this.#set({ isKept: this.#backups.keep({ by: this.#writer, updatedAt, content, base, text: unread }) })
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isLeft) this.#timer = setTimeout(() => void this.save(), ms)
  }

  #canStep() {
    return { canUndo: this.#steps.canUndo, canRedo: this.#steps.canRedo }
  }

  #set(changed: Partial<DraftView>): void {
    const view = { ...this.view.value, ...changed }
    this.view.set(changed.content === undefined ? view : { ...view, text: textOfView(view) })
  }
}
