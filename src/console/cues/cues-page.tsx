import { Title } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { usePageTitle } from '../shell/page-title.ts'
import { Empty } from '../ui/empty.tsx'
import { Unread } from '../ui/unread.tsx'
import { AlarmSwitches } from './alarm-switches.tsx'
import { CueCard } from './cue-card.tsx'
import classes from './cues.module.css'
import { useOpenCues } from './open-cues.tsx'

/** What a game master works with, on a phone and with one thumb. */
export function CuesPage() {
  const { cues, known, error, refresh } = useOpenCues()
  usePageTitle('Cues')
  return (
    <>
      <div className={classes.top}>
        <Title order={1} fz="h2">
          Cues
        </Title>
        <AlarmSwitches />
      </div>
      {!known && <Unread what="the cues" error={error} />}
      {known && cues.length === 0 && (
        <Empty icon={IconChecks} title="No cue waits for a person" level={2}>
          <p>
            Leave this page open: a new cue comes up here by itself, and makes itself heard where you switch that on.
          </p>
        </Empty>
      )}
      <div className={classes.cards}>
        {cues.map((cue) => (
          <CueCard key={cue.id} cue={cue} level={2} onChange={refresh} />
        ))}
      </div>
    </>
  )
}
