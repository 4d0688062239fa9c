import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  ActionRisksDocument,
  type DefinitionPageFragment,
  type FindingsFragment,
  PublishDefinitionDocument,
  type UpcomingCountsFragment,
} from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { useLive } from '../api/live-query.ts'
import { type Busy, Dialog, LeaveButton } from '../ui/dialog.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { contentOfDraft, contentOfVersion } from './content.ts'
import { DifferenceList } from './difference-list.tsx'
import { pinned } from './differences.ts'
import { IssueList } from './issue-list.tsx'
import { PublishTrial } from './publish-trial.tsx'
import { UpcomingChange } from './upcoming-change.tsx'
import { useDifferences } from './use-differences.ts'
import { useVerifying } from './use-verifying.ts'
import { Verification } from './verification.tsx'

type Published = { version: number; isNew: boolean; verification: FindingsFragment; upcoming: UpcomingCountsFragment }

const MAYBE_PUBLISHED =
  'It is not known whether the draft was published; publishing it again makes no second version of it.'

type PublishProps = {
  definition: DefinitionPageFragment
  opened: boolean
  onClose(): void
  /** It was published, or somebody else changed it: what is shown has to be read again. */
  onChange(): void
}

/** Says what publishing the draft will do, does it, and shows what it did. */
export function PublishDialog({ definition, opened, onClose, onChange }: PublishProps) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Dialog opened={opened} isBusy={isBusy} size="lg" onClose={onClose}>
      {opened && <Publishing {...{ definition, isBusy, setBusy, onClose, onChange }} />}
    </Dialog>
  )
}

function Publishing({ definition, isBusy, setBusy, onClose, onChange }: Omit<PublishProps, 'opened'> & Busy) {
  const { client } = useConnection()
  const [problem, setProblem] = useState<string | null>(null)
  const [published, setPublished] = useState<Published | null>(null)
  const { id, title, updatedAt, currentVersion, draftIssues, slug } = definition
  const verifying = useVerifying(id)
  // What was found is of the draft as it was then.
  const [triedAt, setTriedAt] = useState(updatedAt)
  const verified = triedAt === updatedAt ? verifying.verified : null

  const tryIt = async () => {
    setTriedAt(updatedAt)
    setProblem(null)
    setBusy(true)
    await verifying.verify('draft')
    setBusy(false)
  }

  const publish = async () => {
    setBusy(true)
    setProblem(null)
    const outcome = await act(client, PublishDefinitionDocument, { input: { id, ifUpdatedAt: updatedAt } })
    setBusy(false)
    onChange()
    if (outcome.kind === 'unknown') return setProblem(`${outcome.message} ${MAYBE_PUBLISHED}`)
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    const { version, verification, upcoming } = outcome.payload
    setPublished({ version: version.version, isNew: version.id !== currentVersion?.id, verification, upcoming })
  }

  if (published !== null) {
    const { version, isNew, verification, upcoming } = published
    return (
      <Stack gap="sm">
        <Modal.Title fz="lg" fw={650}>
          {isNew ? `Version ${version} is published` : `Version ${version} is current already`}
        </Modal.Title>
        {!isNew && <Text>The draft says the same as it does; nothing was changed.</Text>}
        <UpcomingChange upcoming={upcoming} isHeld={!verification.passed} />
        <Verification report={verification} />
        <Group justify="flex-end">
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack gap="sm">
      <Modal.Title fz="lg" fw={650}>
        Publish “<bdi>{title}</bdi>” as version {(currentVersion?.version ?? 0) + 1}?
      </Modal.Title>
      {draftIssues.length > 0 ? (
        <>
          <Notice tone="wait" title="The draft cannot be published yet">
            {draftIssues.length === 1 ? 'One thing has' : `${draftIssues.length} things have`} to be solved before.
          </Notice>
          <IssueList found={draftIssues} content={contentOfDraft(definition)} />
          <Group justify="flex-end">
            <Button variant="default" size="md" onClick={onClose}>
              Close
            </Button>
            <LinkButton to="/definitions/$slug/edit" params={{ slug }} size="md">
              Edit the draft
            </LinkButton>
          </Group>
        </>
      ) : (
        <>
          <WhatWillHappen definition={definition} />
          <PublishTrial
            verifying={{ ...verifying, verified }}
            isPublishing={isBusy && verifying.busy === null}
            onVerify={() => void tryIt()}
          />
          {problem !== null && <Notice tone="bad">{problem}</Notice>}
          <Group justify="flex-end">
            <LeaveButton isBusy={isBusy} onClose={onClose} />
            <Button
              size="md"
              loading={isBusy && verifying.busy === null}
              disabled={verifying.busy !== null}
              onClick={() => void publish()}
              data-autofocus
            >
              Publish it
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

const NOTHING = {}

function WhatWillHappen({ definition }: { definition: DefinitionPageFragment }) {
  const { data } = useLive({ query: ActionRisksDocument, variables: NOTHING }, null)
  const differences = useDifferences()
  const { currentVersion, draftWarnings, scheduled } = definition
  const made = scheduled.totalCount ?? 0
  const found =
    currentVersion === null || data === undefined
      ? null
      : differences(contentOfVersion(currentVersion), {
          ...pinned(contentOfDraft(definition), data.actions),
          title: null,
          description: null,
        })
  return (
    <>
      {found?.length !== 0 && (
        <Text>
          The draft is verified, which may take half a minute, and becomes the version that new runs take. Runs that
          have started keep theirs.
        </Text>
      )}
      {found?.length !== 0 && made > 0 && (
        <Text>
          The schedule has made {made === 1 ? 'one run' : `${made} runs`} to come: what is still in the new schedule is
          taken along to the new version, what is not is cancelled.
        </Text>
      )}
      {draftWarnings.length > 0 && (
        <Notice tone="wait" title="Allowed, but odd">
          <IssueList found={draftWarnings} content={contentOfDraft(definition)} />
        </Notice>
      )}
      {found !== null && currentVersion !== null && (
        <>
          <Text fw={600}>
            {found.length === 0
              ? `Nothing differs from version ${currentVersion.version}: publishing changes nothing.`
              : `What differs from version ${currentVersion.version}:`}
          </Text>
          <DifferenceList found={found} label="Differences" />
        </>
      )}
    </>
  )
}
