import { createContext, use, useCallback } from 'react'
import type { CatalogQuery, IssueFragment } from '../../generated/console/documents.ts'
import { type Signal, useChosen, useSignal } from '../api/signal.ts'
import type { DraftStore } from './draft-store.ts'
import type { DraftView } from './draft-view.ts'
import { fieldId, type Path, valueAt, withValueAt, written } from './path.ts'
import { type Told, toldOf } from './told.tsx'

export type Action = CatalogQuery['actions'][number]
export type Trigger = CatalogQuery['triggers'][number]

/** None of it changes while one writes: what a part shows of the draft, it follows itself. */
export type DraftEditing = {
  store: DraftStore
  actions: readonly Action[]
  triggers: readonly Trigger[]
  /** Keys of the parts that are unfolded. */
  open: Signal<ReadonlySet<string>>
  setOpen(key: string, isOpen: boolean): void
  /** Says something to who does not see the page. */
  say(sentence: string): void
}

export const DraftContext = createContext<DraftEditing | null>(null)

export function useDraft(): DraftEditing {
  const draft = use(DraftContext)
  if (draft === null) throw new Error('There is no draft outside of its editor.')
  return draft
}

/** All of the draft as it is now: whoever asks is drawn anew with every letter that is typed. */
export const useView = (): DraftView => useSignal(useDraft().store.view)

/** What is wrong at a path: with `deep` also with what lies below it. */
export function issuesAt(issues: readonly IssueFragment[], path: Path, deep = false): IssueFragment[] {
  const at = written(path)
  return issues.filter((issue) => issue.path === at || (deep && isBelow(issue.path, at)))
}

export const isBelow = (path: string, at: string): boolean =>
  path.startsWith(at) && (path[at.length] === '.' || path[at.length] === '[')

export type Field = {
  id: string
  value: unknown
  set(value: unknown): void
  /** What is wrong with it, and what is odd. */
  told: Told
}

/** One field of the draft: what is at its path, and what is wrong there. `deep`: it holds all that lies below. */
export function useField(path: Path, { deep = false }: { deep?: boolean } = {}): Field {
  const { store } = useDraft()
  const at = written(path)
  const value = useChosen(store.view, ({ content }) => valueAt(content, path))
  const wrong = useChosen(store.view, ({ issues, content }) => sentencesAt(issues, { path, deep, content }))
  const odd = useChosen(store.view, ({ server, content }) =>
    sentencesAt(server.draftWarnings, { path, deep, content, before: 'Allowed, but odd: ' }),
  )
  const set = useCallback(
    (value: unknown) => store.edit((content) => withValueAt(content, path, value), at),
    [store, at, path],
  )
  return { id: fieldId(path), value, set, told: toldOf(wrong, odd) }
}

type At = { path: Path; deep: boolean; content: unknown; before?: string }

function sentencesAt(issues: readonly IssueFragment[], { path, deep, content, before = '' }: At): string {
  const at = written(path)
  return issuesAt(issues, path, deep)
    .map((issue) => before + sentence(issue, { at, content }))
    .join(' ')
}

/** Where a day and a time are chosen, which who writes a form need not know the writing of. */
const INSTANTS: ReadonlySet<string> = new Set(['schedule.once.at', 'schedule.recurring.start'])

/** What is wrong, beside the field: a message that is only a clause is said of the field itself. */
export function sentence({ path, message }: IssueFragment, { at, content }: { at: string; content: unknown }): string {
  if (INSTANTS.has(path) && valueAt(content, path.split('.')) === '') return 'Choose a day and a time.'
  const below = path.slice(at.length).replace(/^\./, '')
  const text = /^\p{Ll}/u.test(message) ? `It ${message}` : message
  return below === '' ? text : `${below}: ${message}`
}
