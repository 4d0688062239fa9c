import { Button, Group } from '@mantine/core'
import { contentOfDraft } from '../definitions/content.ts'
import { DifferenceList } from '../definitions/difference-list.tsx'
import { useDifferences } from '../definitions/use-differences.ts'
import { Instant } from '../time/instant.tsx'
import { Notice } from '../ui/notice.tsx'
import classes from './draft.module.css'
import { settled } from './draft-changes.ts'
import { useDraft, useView } from './draft-context.ts'
import noticeClasses from './notices.module.css'
import summaryClasses from './summary.module.css'

/** Somebody else changed the draft meanwhile: who, what, and the choice between theirs and one's own. */
export function ConflictNotice() {
  const { store } = useDraft()
  const differences = useDifferences()
  const { conflict, base, content, problem } = useView()
  // What a text changes is known when it can be read.
  if (conflict === null || problem !== null) return null
  const before = settled(base)
  const theirs = differences(before, settled(contentOfDraft(conflict.theirs)))
  const mine = differences(before, settled(content))
  return (
    <div className={noticeClasses.conflict}>
      <Notice tone="wait" title={`${conflict.who ?? 'Somebody'} changed this draft while you wrote`}>
        {conflict.at !== null && (
          <>
            Last at <Instant at={conflict.at} zone={null} />.{' '}
          </>
        )}
        Nothing of yours is saved over it, and nothing of yours is lost: choose how to go on.
      </Notice>
      <div className={noticeClasses.sides}>
        <section aria-label="What they changed">
          <h2 className={summaryClasses.summaryTitle}>What they changed</h2>
          <DifferenceList found={theirs} label="What they changed" />
          <Button variant="default" mt="sm" onClick={() => store.takeTheirs()}>
            Take theirs
          </Button>
          <p className={classes.none}>Undo brings yours back.</p>
        </section>
        <section aria-label="What you changed">
          <h2 className={summaryClasses.summaryTitle}>What you changed</h2>
          <DifferenceList found={mine} label="What you changed" />
          <Group mt="sm">
            <Button onClick={() => store.keepMine()}>Keep mine</Button>
          </Group>
          <p className={classes.none}>
            Settings, schedule and phases are kept each as a whole: what you did not touch is taken from theirs.
          </p>
        </section>
      </div>
    </div>
  )
}
