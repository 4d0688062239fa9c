import { Client, fetchExchange } from '@urql/core'
import { vi } from 'vitest'
import { Backups, type Shelf } from '../../src/console/draft/backup.ts'
import { DraftStore } from '../../src/console/draft/draft-store.ts'

/** Longer than anybody is waited for to type on, and than a try to save is put off. */
const LATER_MS = 5_000

type Written = { title?: string; description?: string; ifUpdatedAt?: string }

/** A browser's storage, which may be full. */
export class Storage implements Shelf {
  readonly kept = new Map<string, string>()
  isFull = false
  get length() {
    return this.kept.size
  }
  key = (index: number) => [...this.kept.keys()][index] ?? null
  getItem = (key: string) => this.kept.get(key) ?? null
  removeItem = (key: string) => void this.kept.delete(key)
  setItem(key: string, value: string) {
    if (this.isFull) throw new Error('QuotaExceededError')
    this.kept.set(key, value)
  }
}

/** A server with one draft, as far as an editor asks it, and browsers that write at it. */
export function world() {
  let version = 1
  let draft = { title: 'Quiz', description: 'Old.' }
  /** What was asked to be written, whatever was answered. */
  const sent: Written[] = []
  const sentAt: number[] = []
  let trouble: 'none' | 'cut' | { code: string; message?: string } = 'none'
  const state = () => ({
    id: 'one',
    slug: 'quiz',
    state: 'DRAFT' as const,
    updatedAt: new Date(Date.UTC(2040, 0, 1, 0, version)).toISOString(),
    ...draft,
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [],
    draft: { asInput: { schedule: { manual: true }, phases: [] }, phases: [] },
    draftIssues: [],
    draftWarnings: [],
  })
  const write = ({ title = draft.title, description = draft.description }: Written) => {
    draft = { title, description }
    version += 1
  }
  const update = ({ ifUpdatedAt, ...written }: Written) => {
    sent.push(written)
    sentAt.push(Date.now())
    if (trouble !== 'none') return null
    if (ifUpdatedAt !== state().updatedAt) {
      return { __typename: 'ConflictError', code: 'CONFLICT', message: 'Somebody changed it.', lastControl: null }
    }
    write(written)
    return { __typename: 'UpdateDefinitionPayload', definition: state() }
  }
  const client = new Client({
    url: 'http://server.test/graphql',
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetch: async (_url, init) => {
      const { operationName, variables } = JSON.parse(String(init?.body))
      const data =
        operationName === 'UpdateDraft'
          ? { updateDefinition: update(variables.input) }
          : operationName === 'Draft'
            ? { definition: state() }
            : { auditLog: { edges: [] } }
      if (trouble === 'cut') throw new Error('no network')
      const errors = trouble === 'none' ? undefined : [{ message: trouble.message ?? 'Trouble.', extensions: trouble }]
      return Response.json(errors === undefined ? { data } : { data: null, errors })
    },
  })
  return {
    sent,
    sentAt,
    draft: () => draft,
    state,
    /** Somebody else writes at the draft. */
    write,
    setTrouble(next: typeof trouble) {
      trouble = next
    },
    open(storage: Storage, writer = 'Ada') {
      const store = new DraftStore({ client, server: state(), backups: new Backups(storage, 'one'), writer })
      const leave = store.enter()
      return { store, leave }
    },
  }
}

export const retitle = (store: DraftStore, title: string) => store.edit((content) => ({ ...content, title }), title)
export const later = () => vi.advanceTimersByTimeAsync(LATER_MS)
export const seen = ({ view }: DraftStore) => ({
  title: view.value.content.title,
  description: view.value.content.description,
})
