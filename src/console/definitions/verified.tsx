import { Text } from '@mantine/core'
import { UpcomingChange } from './upcoming-change.tsx'
import type { Verified, Verifying } from './use-verifying.ts'
import { Verification } from './verification.tsx'

/** Says how a verification goes and how it went: in one place that stays, so that it is read out. */
export function VerifyingStatus({ verifying, hint = '' }: { verifying: Verifying; hint?: string }) {
  return (
    <Text role="status" fz="sm" c="dimmed">
      {wordsOf(verifying) ?? hint}
    </Text>
  )
}

function wordsOf({ busy, problem, verified }: Verifying): string | null {
  if (busy !== null) return 'Every step is asked whether it would work; that may take half a minute.'
  if (problem !== null || verified === null) return null
  const { passed } = verified.verification
  if (verified.version === null) return passed ? 'The draft passed.' : 'The draft did not pass.'
  return `Version ${verified.version.version} ${passed ? 'passed' : 'did not pass'}.`
}

type VerifiedFindingsProps = {
  verified: Verified
  /** The version had passed before: its runs to come are made already. */
  hadPassed?: boolean
}

/** What was found just now, and what becomes of the runs to come: for a draft, what would. */
export function VerifiedFindings({ verified, hadPassed = false }: VerifiedFindingsProps) {
  const { version, verification, upcoming } = verified
  const isDraft = version === null
  return (
    <>
      {(isDraft || !hadPassed) && (
        <UpcomingChange upcoming={upcoming} isHeld={!verification.passed} isForetold={isDraft} />
      )}
      <Verification report={verification} />
    </>
  )
}
