import { Text } from '@mantine/core'

/** What a new version did to the runs to come. */
export type UpcomingCounts = { added: number; kept: number; cancelled: number }

const runs = (count: number) => (count === 1 ? '1 run' : `${count} runs`)

export function UpcomingChange({ upcoming, isHeld }: { upcoming: UpcomingCounts; isHeld: boolean }) {
  const { added, kept, cancelled } = upcoming
  if (isHeld) {
    return (
      <Text>
        It did not pass its verification: its schedule is held, and the runs to come stay as they are, until one passes.
        Somebody can start it by hand.
      </Text>
    )
  }
  if (added + kept + cancelled === 0) return <Text>No run to come was touched.</Text>
  return (
    <Text>
      Runs to come: {runs(added)} added, {runs(kept)} taken along, {runs(cancelled)} cancelled.
    </Text>
  )
}
