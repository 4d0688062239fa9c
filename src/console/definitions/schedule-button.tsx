import { Button } from '@mantine/core'
import { ScheduleHolderDocument } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { useAsk } from '../ui/control-host.tsx'
import { hasScheduleControl, scheduleControl } from './definition-controls.ts'

type ScheduleButtonProps = { definitionId: string; onChange(): void }

/** Pauses the schedule of an event that is not looked at by itself, or lets it go on. For who may. */
export function ScheduleButton({ definitionId, onChange }: ScheduleButtonProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const { data, refresh } = useLive({ query: ScheduleHolderDocument, variables: { id: definitionId } }, null)
  useLookAgain(refresh)
  const definition = data?.definition ?? null
  if (definition === null || !hasScheduleControl(definition)) return null
  const changed = () => {
    refresh()
    onChange()
  }
  return (
    <Button variant="default" size="md" onClick={() => ask(scheduleControl(client, definition), changed)}>
      {definition.schedulePaused ? 'Resume schedule …' : 'Pause schedule …'}
    </Button>
  )
}
