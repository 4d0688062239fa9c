import { Button, Group } from '@mantine/core'
import { DifferenceList } from '../definitions/difference-list.tsx'
import { useDifferences } from '../definitions/use-differences.ts'
import { useViewer } from '../session/viewer-context.ts'
import { Notice } from '../ui/notice.tsx'
import { settled } from './draft-changes.ts'
import { useDraft, useView } from './draft-context.ts'
import classes from './notices.module.css'

/** Something was written in this browser by somebody else, or in another tab, and was not saved: who has it now decides. */
export function OfferNotice() {
  const { store } = useDraft()
  const differences = useDifferences()
  const view = useView()
  const viewer = useViewer()
  const [offer] = view.offers
  if (offer === undefined) return null
  const { by, base, content, text } = offer
  const changes = differences(settled(base), settled(content))
  return (
    <div className={classes.conflict}>
      <Notice tone="wait" title={`${by === viewer.name ? 'You' : by} wrote this here, and it was not saved`}>
        Nothing of it is sent unless you use it; it is sent in your name then.
        {text !== null && ' It is a text that cannot be read yet.'}
      </Notice>
      <DifferenceList found={changes} label="What was written" />
      <Group mt="sm">
        <Button disabled={view.saving.kind !== 'saved'} onClick={() => store.takeOffer(offer)}>
          Use it
        </Button>
        <Button variant="default" onClick={() => store.dropOffer(offer)}>
          Drop it
        </Button>
      </Group>
    </div>
  )
}
