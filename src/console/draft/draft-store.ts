import type { Client } from '@urql/core'
import {
  DraftDocument,
  type DraftStateFragment,
  type IssueFragment,
  UpdateDraftDocument,
} from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { Signal } from '../api/signal.ts'
import { type Content, contentOfDraft } from '../definitions/content.ts'
import { type Backup, forgetBackup, keepBackup } from './backup.ts'
import { changesOf, isSameDraft, joined } from './draft-changes.ts'
import { localIssues } from './local-issues.ts'
import { whoChanged } from './who-changed.ts'

/** How long nobody has to type before it is saved. */
const REST_MS = 700
/** Between two tries to save while the server is away. */
const RETRY_MS = 3_000
/** What follows within this, at the same place, is undone together. */
const TOGETHER_MS = 1_500
const MOST_UNDONE = 200

/** What somebody else made of the draft meanwhile. */
export type Conflict = { theirs: DraftStateFragment; who: string | null; at: string | null }

export type Saving =
  | { kind: 'saved' }
  /** Something is not saved yet. */
  | { kind: 'unsaved' | 'saving' }
  /** The server cannot be reached; it is tried again. */
  | { kind: 'away'; message: string }
  /** The server does not take it like this, or it cannot be sent; the next change is tried again. */
  | { kind: 'refused'; message: string }

export type DraftView = {
  content: Content
  /** What `content` goes on from: the draft on the server, as it was known last. */
  base: Content
  /** When that was written. */
  updatedAt: string
  /** What the server had to say of the draft when it answered last. */
  server: DraftStateFragment
  saving: Saving
  issues: readonly IssueFragment[]
  conflict: Conflict | null
  /** Who changed the draft while nothing was being written here; it is shown as they left it. */
  changedBy: string | null
  isRestored: boolean
  canUndo: boolean
  canRedo: boolean
}

type Step = { content: Content; place: string; at: number }

/**
 * A draft that is being written, and its way to the server: saved as one types, never over what somebody else wrote.
 * What is not on the server yet is kept in this browser.
 */
export class DraftStore {
  readonly view: Signal<DraftView>
  readonly #client: Client
  #undo: Step[] = []
  #redo: Content[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLeft = false
  /** What was sent and never answered: any of it may have arrived. */
  #unanswered: Content[] = []
  /** The saves, one after another. */
  #saves: Promise<boolean> = Promise.resolve(true)

  constructor(client: Client, server: DraftStateFragment, backup: Backup | null) {
    this.#client = client
    const content = contentOfDraft(server)
    const isKept = backup !== null && !isSameDraft(backup.content, content)
    const isBehind = isKept && backup.updatedAt !== server.updatedAt && !isSameDraft(backup.base, content)
    this.view = new Signal<DraftView>({
      content: isKept ? backup.content : content,
      base: isBehind ? backup.base : content,
      updatedAt: isBehind ? backup.updatedAt : server.updatedAt,
      server,
      saving: { kind: isKept ? 'unsaved' : 'saved' },
      issues: server.draftIssues,
      conflict: isBehind ? { theirs: server, who: null, at: null } : null,
      changedBy: null,
      isRestored: isKept,
      canUndo: false,
      canRedo: false,
    })
    if (isBehind) void this.#meet(server)
    else if (!isKept) forgetBackup(server.id)
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
    const now = Date.now()
    const last = this.#undo.at(-1)
    if (place === '' || last?.place !== place || now - last.at > TOGETHER_MS) {
      this.#undo = [...this.#undo.slice(1 - MOST_UNDONE), { content, place, at: now }]
    } else {
      last.at = now
    }
    this.#redo = []
    this.#write(change(content))
  }

  undo(): void {
    const last = this.#undo.pop()
    if (last === undefined) return
    this.#redo.push(this.view.value.content)
    this.#write(last.content)
  }

  redo(): void {
    const next = this.#redo.pop()
    if (next === undefined) return
    this.#undo.push({ content: this.view.value.content, place: '', at: 0 })
    this.#write(next)
  }

  /** Goes on with what somebody else wrote. What was written here can be had back by undoing. */
  takeTheirs(): void {
    const { conflict, content } = this.view.value
    if (conflict === null) return
    this.#undo.push({ content, place: '', at: 0 })
    this.#redo = []
    this.#adopt(conflict.theirs)
  }

  /** Writes what was changed here over what somebody else wrote, which was shown; what they alone changed is taken. */
  keepMine(): void {
    const { conflict, content, base } = this.view.value
    if (conflict === null) return
    const theirs = contentOfDraft(conflict.theirs)
    this.#undo.push({ content: theirs, place: '', at: 0 })
    this.#set({
      content: joined({ base, mine: content, theirs }),
      base: theirs,
      updatedAt: conflict.theirs.updatedAt,
      server: conflict.theirs,
      conflict: null,
      ...this.#steps(),
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
    this.#undo.push({ content, place: '', at: 0 })
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
    const { content, base, updatedAt, server, conflict } = this.view.value
    if (conflict !== null) return false
    const local = localIssues(content)
    if (local.length > 0) {
      this.#set({ saving: { kind: 'refused', message: 'Correct what is marked: it cannot be sent like this.' } })
      return false
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
      if (this.view.value.content === content) return this.#arrive(content)
      this.#later(REST_MS)
      return false
    }
    if (outcome.kind === 'unknown') {
      if (!outcome.wasReached) this.#unanswered.push(content)
      this.#set({ saving: { kind: outcome.wasReached ? 'refused' : 'away', message: outcome.message } })
      if (!outcome.wasReached) this.#later(RETRY_MS)
      return false
    }
    if (outcome.refusal.code !== 'CONFLICT') {
      this.#set({ saving: { kind: 'refused', message: messageOf(outcome.refusal) } })
      return false
    }
    const { data } = await this.#client.query(DraftDocument, { slug: server.slug }, { requestPolicy: 'network-only' })
    if (data?.definition == null) {
      this.#set({ saving: { kind: 'away', message: messageOf(outcome.refusal) } })
      this.#later(RETRY_MS)
      return false
    }
    if (data.definition.state === 'ARCHIVED') {
      this.#set({ saving: { kind: 'refused', message: messageOf(outcome.refusal) } })
      return false
    }
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
    forgetBackup(server.id)
    this.#set({
      content,
      base: content,
      updatedAt: server.updatedAt,
      server,
      issues: server.draftIssues,
      conflict: null,
      saving: { kind: 'saved' },
      isRestored: false,
      ...this.#steps(),
    })
  }

  #arrive(content: Content): boolean {
    const { server } = this.view.value
    forgetBackup(server.id)
    this.#set({ saving: { kind: 'saved' }, base: content, issues: server.draftIssues, isRestored: false })
    return true
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
      ...this.#steps(),
    })
    this.#backUp()
    if (conflict === null) this.#later(REST_MS)
  }

  #backUp(): void {
    const { server, updatedAt, content, base } = this.view.value
    keepBackup(server.id, { updatedAt, content, base })
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isLeft) this.#timer = setTimeout(() => void this.save(), ms)
  }

  #steps() {
    return { canUndo: this.#undo.length > 0, canRedo: this.#redo.length > 0 }
  }

  #set(changed: Partial<DraftView>): void {
    this.view.set({ ...this.view.value, ...changed })
  }
}
