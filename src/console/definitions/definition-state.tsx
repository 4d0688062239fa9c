import {
  IconAlertTriangle,
  IconArchive,
  IconCalendarPause,
  IconCircleCheck,
  IconPencil,
  IconShieldQuestion,
} from '@tabler/icons-react'
import type { DefinitionRowFragment } from '../../generated/console/documents.ts'
import { Chip } from '../ui/chip.tsx'

type StateProps = {
  definition: Pick<
    DefinitionRowFragment,
    'state' | 'schedulePaused' | 'versionVerified' | 'currentVersion' | 'draftIssues'
  >
}

/** How far a definition has got, and what keeps it from running by itself. */
export function DefinitionState({ definition }: StateProps) {
  const { state, schedulePaused, versionVerified, currentVersion, draftIssues } = definition
  const count = draftIssues.length
  if (state === 'ARCHIVED') {
    return (
      <Chip tone="calm" icon={IconArchive}>
        Archived
      </Chip>
    )
  }
  return (
    <>
      {count > 0 && (
        <Chip tone="wait" icon={IconAlertTriangle}>
          Draft: {count === 1 ? '1 issue' : `${count} issues`}
        </Chip>
      )}
      {schedulePaused && (
        <Chip tone="wait" icon={IconCalendarPause}>
          Schedule paused
        </Chip>
      )}
      {currentVersion !== null && !versionVerified && (
        <Chip tone="bad" icon={IconShieldQuestion}>
          Not verified
        </Chip>
      )}
      {currentVersion === null ? (
        <Chip tone="calm" icon={IconPencil}>
          Never published
        </Chip>
      ) : (
        <Chip tone="live" icon={IconCircleCheck}>
          Version {currentVersion.version}
        </Chip>
      )}
    </>
  )
}
