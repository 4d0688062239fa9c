import { Button, Group } from '@mantine/core'
import { Notice } from '../ui/notice.tsx'
import type { Verifying } from './use-verifying.ts'
import { VerifiedFindings, VerifyingStatus } from './verified.tsx'

type PublishTrialProps = { verifying: Verifying; isPublishing: boolean; onVerify(): void }

/** Verifies a draft before it is published, where somebody wants to know, and says what would become of the runs to come. */
export function PublishTrial({ verifying, isPublishing, onVerify }: PublishTrialProps) {
  const { busy, problem, verified } = verifying
  return (
    <section aria-label="Before it is published">
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <Group gap="xs" mb={verified === null ? 0 : 'xs'}>
        <Button variant="default" loading={busy !== null} disabled={isPublishing} onClick={onVerify}>
          {verified === null ? 'Verify it first' : 'Verify it again'}
        </Button>
        <VerifyingStatus
          verifying={verifying}
          hint="It says what would be found, and what would become of the runs to come."
        />
      </Group>
      {verified !== null && <VerifiedFindings verified={verified} />}
    </section>
  )
}
