import { ActionIcon, Button, SegmentedControl, Title } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCircleCheck,
  IconCloudOff,
  IconLoader,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { textOf } from '../definitions/json.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Chip } from '../ui/chip.tsx'
import classes from './draft-bar.module.css'
import { useDraft, useView } from './draft-context.ts'

type DraftBarProps = { mode: string; onMode(mode: string): void }

/** Whether all is saved, undoing, the two ways to write, and the way on. */
export function DraftBar({ mode, onMode }: DraftBarProps) {
  const { store, say } = useDraft()
  const view = useView()
  const navigate = useNavigate()
  const { slug } = view.server
  const publish = async () => {
    if (await store.save()) await navigate({ to: '/definitions/$slug', params: { slug }, search: { publish: true } })
    else say('Not all that you wrote is on the server: what keeps it from there is said above the draft.')
  }
  const look = { variant: 'default', size: 'lg' } as const
  return (
    <div className={classes.bar}>
      <div className={classes.barName}>
        <BackLink to="/definitions/$slug" params={{ slug }}>
          Back to the definition
        </BackLink>
        <Title order={1} fz="h3">
          Draft of <bdi>{textOf(view.content.title) || slug}</bdi>
        </Title>
      </div>
      <div className={classes.tools}>
        <SavedSign />
        <ActionIcon
          {...look}
          aria-label="Undo"
          disabled={!view.canUndo || view.problem !== null}
          onClick={() => store.undo()}
        >
          <IconArrowBackUp size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon
          {...look}
          aria-label="Redo"
          disabled={!view.canRedo || view.problem !== null}
          onClick={() => store.redo()}
        >
          <IconArrowForwardUp size={18} aria-hidden />
        </ActionIcon>
        <SegmentedControl
          aria-label="How to write"
          value={mode}
          onChange={onMode}
          data={[
            { value: 'form', label: 'Form' },
            { value: 'text', label: 'Text' },
          ]}
        />
        <Button onClick={() => void publish()}>Publish …</Button>
      </div>
    </div>
  )
}

function SavedSign() {
  const { saving, conflict, isKept } = useView()
  return (
    <span role="status">
      {conflict !== null ? (
        <Chip tone="wait" icon={IconAlertTriangle}>
          Not saved: changed by somebody else
        </Chip>
      ) : saving.kind === 'saved' ? (
        <Chip tone="live" icon={IconCircleCheck}>
          Saved
        </Chip>
      ) : saving.kind === 'away' ? (
        <Chip tone="bad" icon={IconCloudOff}>
          {isKept ? 'Kept in this browser' : 'Not saved'}
        </Chip>
      ) : saving.kind === 'refused' ? (
        <Chip tone="bad" icon={IconAlertTriangle}>
          Not saved
        </Chip>
      ) : (
        <Chip tone="calm" icon={IconLoader}>
          Saving
        </Chip>
      )}
    </span>
  )
}
