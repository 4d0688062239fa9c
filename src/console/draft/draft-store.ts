import type { Client } from '@urql/core'
import type { DraftStateFragment } from '../../generated/console/documents.ts'
import { Signal } from '../api/signal.ts'
import { type Content, contentOfDraft } from '../definitions/content.ts'
import { isSame } from '../definitions/json.ts'
import type { Backups, Kept } from './backup.ts'
import { isSameDraft, joined } from './draft-changes.ts'
import { DraftSaves } from './draft-saves.ts'
import { beginningOf, type DraftView, type Saving, textOfView } from './draft-view.ts'
import { localIssues } from './local-issues.ts'
import { readText, textOfContent } from './spec-text.ts'
import { Steps } from './steps.ts'
import { whoChanged } from './who-changed.ts'

type DraftStoreOptions = {
  client: Client
  server: DraftStateFragment
  backups: Backups
  /** Who is signed in: only what they wrote is gone on with unasked. */
  writer: string
}

/** A draft that is being written: saved as one types, and kept in this browser until it is on the server. */
export class DraftStore {
  readonly view: Signal<DraftView>
  readonly #client: Client
  readonly #backups: Backups
  readonly #writer: string
  readonly #steps = new Steps()
  readonly #saves: DraftSaves

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
    this.#saves = new DraftSaves({
      client,
      view: () => this.view.value,
      set: (changed) => this.#set(changed),
      onBehind: () => this.#backUp(),
      onArrived: () => backups.forgetOwn(),
    })
    if (mine !== null) this.#begin(mine)
  }

  /** Somebody writes here, until the answer is called: what is not saved then is sent, and kept until it has arrived. */
  enter(): () => void {
    return this.#saves.enter()
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
    // It could be read: what could not be sent may arrive now.
    if (saving.kind === 'away') void this.save()
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
    return this.#saves.now()
  }

  #adopt(server: DraftStateFragment): void {
    const content = contentOfDraft(server)
    this.#saves.forget()
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
    if (conflict === null) this.#saves.soon()
  }

  #begin(backup: Kept): void {
    this.#backups.goOnFrom(backup)
    const { conflict } = this.view.value
    if (conflict !== null) void this.#saves.meet(conflict.theirs)
  }

  #backUp(): void {
    const { updatedAt, content, base, text, problem } = this.view.value
    const unread = problem === null ? null : text
    this.#set({ isKept: this.#backups.keep({ by: this.#writer, updatedAt, content, base, text: unread }) })
  }

  #canStep() {
    return { canUndo: this.#steps.canUndo, canRedo: this.#steps.canRedo }
  }

  #set(changed: Partial<DraftView>): void {
    const view = { ...this.view.value, ...changed }
    this.view.set(changed.content === undefined ? view : { ...view, text: textOfView(view) })
  }
}
