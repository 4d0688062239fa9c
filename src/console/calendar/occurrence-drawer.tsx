import { Button, Drawer } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useRef } from 'react'
import {
  OccurrenceRunDocument,
  type OccurrenceRunFragment,
  RunsChangedDocument,
} from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { useLive } from '../api/live-query.ts'
import { ScheduleButton } from '../definitions/schedule-button.tsx'
import { runControl, startNowControl } from '../run/run-controls.ts'
import { useMay } from '../session/viewer-context.ts'
import { useAsk } from '../ui/control-host.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './details.module.css'
import type { Occurrence } from './occurrence.ts'
import { OccurrenceFacts } from './occurrence-facts.tsx'

type OccurrenceDrawerProps = {
  /** Null: none is looked at. */
  occurrence: Occurrence | null
  onClose(): void
  /** It was changed: the calendar has to be read again. */
  onChange(): void
}

/** One occurrence: when it is by all clocks, how it stands and why, and what may be done about it. */
export function OccurrenceDrawer({ occurrence, onClose, onChange }: OccurrenceDrawerProps) {
  const head = useRef<HTMLDivElement>(null)
  // Escape that is meant for the dialog of a control above it closes that alone.
  useWindowEvent('keydown', ({ key, target }) => {
    if (key !== 'Escape' || occurrence === null) return
    const dialog = target instanceof Element ? target.closest('[role="dialog"]') : null
    if (dialog === null || dialog.contains(head.current)) onClose()
  })
  return (
    <Drawer.Root
      opened={occurrence !== null}
      onClose={onClose}
      position="right"
      size={460}
      closeOnEscape={false}
      zIndex={190}
      transitionProps={{ duration: 100 }}
    >
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Body pt="md">
          <div className={classes.drawerHead} ref={head}>
            <Drawer.Title className={classes.drawerTitle}>{occurrence?.definition.title}</Drawer.Title>
            <Drawer.CloseButton aria-label="Close" size="lg" />
          </div>
          {occurrence !== null &&
            (occurrence.run === null ? (
              <Planned
                occurrence={occurrence}
                onChange={() => {
                  onChange()
                  // What a paused schedule plans is not shown.
                  onClose()
                }}
              />
            ) : (
              <Made key={occurrence.run.id} occurrence={occurrence} run={occurrence.run} onChange={onChange} />
            ))}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** What has no run yet can only be given one, or none of its schedule. */
function Planned({ occurrence, onChange }: { occurrence: Occurrence; onChange(): void }) {
  const mayChange = useMay('ADMIN')
  const { definition, at } = occurrence
  return (
    <>
      <OccurrenceFacts occurrence={occurrence} />
      <p className={classes.drawerText}>
        No run is made of it yet: that happens by itself, some days before. It can be moved or cancelled from then on.
      </p>
      {mayChange && (
        <div className={classes.drawerControls}>
          <LinkButton variant="default" size="md" to="/start/$slug" params={{ slug: definition.slug }} search={{ at }}>
            Make its run …
          </LinkButton>
          <ScheduleButton definitionId={definition.id} onChange={onChange} />
        </div>
      )}
    </>
  )
}

type MadeProps = { occurrence: Occurrence; run: NonNullable<Occurrence['run']>; onChange(): void }

/** What has a run, which is followed also where the calendar does not show it any more. */
function Made({ occurrence, run: { id, scope, source }, onChange }: MadeProps) {
  const { client } = useConnection()
  const mayPause = useMay('ADMIN') && source === 'SCHEDULE'
  const ask = useAsk()
  const { data, error, refresh } = useLive(
    { query: OccurrenceRunDocument, variables: { id } },
    {
      document: RunsChangedDocument,
      variables: { filter: { definitionId: occurrence.definition.id, scope } },
      concerns: ({ runs }) => runs.run.id === id,
    },
  )
  const run = data?.run ?? null
  const changed = () => {
    refresh()
    onChange()
  }
  const may = new Set(run?.allowedControls)
  return (
    <>
      <OccurrenceFacts occurrence={run === null ? occurrence : asNow(occurrence, run)} />
      {data === undefined && <Unread what="its run" error={error} />}
      {run?.concurrencyKey != null && (
        <p className={classes.drawerText}>
          Concurrency key: <code>{run.concurrencyKey}</code>
        </p>
      )}
      {run?.waitingOn != null && <p className={classes.drawerText}>{run.waitingOn.description}</p>}
      {run?.endedBecause != null && <p className={classes.drawerText}>{run.endedBecause}</p>}
      <div className={classes.drawerControls}>
        <LinkButton size="md" to="/runs/$runId" params={{ runId: id }}>
          Open the run
        </LinkButton>
        {run !== null && may.has('RESCHEDULE') && (
          <>
            <Button size="md" variant="default" onClick={() => ask(runControl(client, run, 'RESCHEDULE'), changed)}>
              Move …
            </Button>
            <Button size="md" variant="default" onClick={() => ask(startNowControl(client, run), changed)}>
              Start now …
            </Button>
          </>
        )}
        {run !== null && may.has('CANCEL') && (
          <Button
            size="md"
            variant="default"
            className={classes.cancel}
            onClick={() => ask(runControl(client, run, 'CANCEL'), changed)}
          >
            Cancel …
          </Button>
        )}
        {mayPause && run?.endedAt === null && (
          <ScheduleButton definitionId={occurrence.definition.id} onChange={onChange} />
        )}
      </div>
    </>
  )
}

/** An occurrence with what its run is by now; once that starts at another time, what was said of the old one is void. */
function asNow(occurrence: Occurrence, { status, scheduledFor, missedReason }: OccurrenceRunFragment): Occurrence {
  const isElsewhere = scheduledFor !== occurrence.at
  return {
    ...occurrence,
    at: scheduledFor,
    ...(isElsewhere ? { adjusted: null, shiftMinutes: null, contends: false, contendsWith: [] } : {}),
    run: occurrence.run && { ...occurrence.run, status, scheduledFor, missedReason },
  }
}
