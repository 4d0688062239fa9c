import { VisuallyHidden } from '@mantine/core'
import { memo, useCallback, useEffect, useMemo, useState } from 'react'
import type { CatalogQuery } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { Signal, useSignal } from '../api/signal.ts'
import { Notice } from '../ui/notice.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import classes from './draft.module.css'
import { DraftBar } from './draft-bar.tsx'
import { DraftContext } from './draft-context.ts'
import type { DraftStore } from './draft-store.ts'
import { EventFields } from './event-fields.tsx'
import { IssueSummary } from './issue-summary.tsx'
import noticeClasses from './notices.module.css'
import { OfferNotice } from './offer-notice.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import { PhaseList } from './phase-list.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { TextEditor } from './text-editor.tsx'

/** It follows the draft field by field: a letter that is typed draws anew what shows it, and not a thousand steps. */
const DraftForm = memo(() => (
  <>
    <EventFields />
    <ScheduleFields />
    <ParameterFields />
    <PhaseList />
  </>
))

/** The draft being written: as a form, or as text. */
export function DraftEditor({ store, catalog }: { store: DraftStore; catalog: CatalogQuery }) {
  const connection = useConnection()
  const view = useSignal(store.view)
  const [open] = useState(() => new Signal<ReadonlySet<string>>(new Set()))
  const [said, setSaid] = useState('')
  const setOpen = useCallback(
    (key: string, isOpen: boolean) =>
      open.set(new Set(isOpen ? [...open.value, key] : [...open.value].filter((one) => one !== key))),
    [open],
  )

  useEffect(() => {
    const leave = store.enter()
    const stop = connection.onOpen(() => store.view.value.saving.kind === 'away' && void store.save())
    const warn = (event: BeforeUnloadEvent) => {
      if (store.view.value.saving.kind !== 'saved') event.preventDefault()
    }
    window.addEventListener('beforeunload', warn)
    return () => {
      window.removeEventListener('beforeunload', warn)
      stop()
      leave()
    }
  }, [store, connection])

  const choose = (mode: string) => {
    if (mode === 'text') store.showText()
    else if (!store.showForm()) setSaid('The text cannot be read yet: correct it, or drop what you wrote there.')
  }
  const editing = useMemo(() => ({ store, ...catalog, open, setOpen, say: setSaid }), [store, catalog, open, setOpen])
  const { saving, changedBy, isRestored, isKept, text, problem } = view
  return (
    <DraftContext value={editing}>
      <DraftBar mode={text === null ? 'form' : 'text'} onMode={choose} />
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <div className={noticeClasses.notices}>
        <ConflictNotice />
        <OfferNotice />
        {problem === null && (saving.kind === 'away' || saving.kind === 'refused') && (
          <Notice
            tone="bad"
            title={saving.kind === 'away' ? 'Not on the server yet' : 'The server does not have this yet'}
          >
            {saving.message}{' '}
            {isKept
              ? 'What you wrote is kept in this browser.'
              : 'This browser has no room to keep what you wrote: leave this page open until it is saved.'}
          </Notice>
        )}
        {isRestored && (
          <Notice tone="wait">What you wrote here last had not reached the server; here it is again.</Notice>
        )}
        {changedBy !== null && <Notice tone="wait">{changedBy} changed the draft; this is how it is now.</Notice>}
        {problem !== null && (
          <Notice tone="wait" title="The text cannot be read yet">
            Nothing of it reaches the form or the server, and nothing can be published, until it can.{' '}
            {!isKept && 'This browser has no room to keep it: leave this page open until then. '}
            <button type="button" className={noticeClasses.drop} onClick={() => store.dropText()}>
              Drop what was written since
            </button>
          </Notice>
        )}
      </div>
      <div className={classes.columns}>
        <div className={classes.main}>{text === null ? <DraftForm /> : <TextEditor text={text} />}</div>
        <IssueSummary />
      </div>
    </DraftContext>
  )
}
