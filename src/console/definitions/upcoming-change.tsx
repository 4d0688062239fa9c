import { Text } from '@mantine/core'
import type { UpcomingCountsFragment } from '../../generated/console/documents.ts'

type UpcomingChangeProps = {
  upcoming: UpcomingCountsFragment
  /** It did not pass its verification. */
  isHeld: boolean
  /** It is not published yet. */
  isForetold?: boolean
}

const runs = (count: number) => (count === 1 ? '1 run' : `${count} runs`)

/** What a new version does to the runs to come. */
export function UpcomingChange({ upcoming, isHeld, isForetold = false }: UpcomingChangeProps) {
  const { added, kept, cancelled } = upcoming
  if (isHeld) {
    return (
      <Text>
        {isForetold
          ? 'It would not pass its verification: published like this, its schedule is held, and the runs to come stay as they are, until one passes.'
          : 'It did not pass its verification: its schedule is held, and the runs to come stay as they are, until one passes.'}{' '}
        Somebody can start it by hand.
      </Text>
    )
  }
  if (added + kept + cancelled === 0) {
    return <Text>{isForetold ? 'No run to come would be touched.' : 'No run to come was touched.'}</Text>
  }
  return (
    <Text>
      {isForetold ? 'Runs to come, if it is published now' : 'Runs to come'}: {runs(added)} added, {runs(kept)} taken
      along, {runs(cancelled)} cancelled.
    </Text>
  )
}
