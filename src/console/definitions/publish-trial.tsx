import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { VerifyDefinitionDocument, type VerifyDefinitionMutation } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { Notice } from '../ui/notice.tsx'
import { UpcomingChange } from './upcoming-change.tsx'
import { Verification } from './verification.tsx'

type Found = Extract<VerifyDefinitionMutation['verifyDefinition'], { __typename: 'VerifyDefinitionPayload' }>

/** Verifies a draft before it is published, where somebody wants to know, and says what would become of the runs to come. */
export function PublishTrial({ definitionId }: { definitionId: string }) {
  const { client } = useConnection()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [found, setFound] = useState<Found | null>(null)
  const verify = async () => {
    setBusy(true)
    setProblem(null)
    const outcome = await act(client, VerifyDefinitionDocument, { input: { id: definitionId, draft: true } })
    setBusy(false)
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    setFound(outcome.payload)
  }
  return (
    <section aria-label="Before it is published">
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {found === null ? (
        <Group gap="xs">
          <Button variant="default" loading={isBusy} onClick={() => void verify()}>
            Verify it first
          </Button>
          <Text role="status" fz="sm" c="dimmed">
            {isBusy
              ? 'Every step is asked whether it would work; that may take half a minute.'
              : 'It says what would be found, and what would become of the runs to come.'}
          </Text>
        </Group>
      ) : (
        <>
          <UpcomingChange upcoming={found.upcoming} isHeld={!found.verification.passed} isForetold />
          <Verification report={found.verification} />
        </>
      )}
    </section>
  )
}
