import { Button, Group, Text } from '@mantine/core'
import { IconShieldQuestion } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type DefinitionPageFragment,
  type FindingsFragment,
  type UpcomingCountsFragment,
  VerifyDefinitionDocument,
} from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { Empty } from '../ui/empty.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import classes from './definition.module.css'
import { UpcomingChange } from './upcoming-change.tsx'
import { Verification } from './verification.tsx'

type VerificationProps = { definition: DefinitionPageFragment; mayVerify: boolean; onChange(): void }
type Verified = { of: string; report: FindingsFragment; upcoming: UpcomingCountsFragment | null }

/** What the last verification of the current version found; it and the draft can be verified anew. */
export function VersionVerification({ definition, mayVerify, onChange }: VerificationProps) {
  const { client } = useConnection()
  const [busy, setBusy] = useState<'version' | 'draft' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [verified, setVerified] = useState<Verified | null>(null)
  const { id, currentVersion, versionVerified } = definition
  const kept = currentVersion?.verification ?? null

  const verify = async (what: 'version' | 'draft') => {
    setBusy(what)
    setProblem(null)
    const outcome = await act(client, VerifyDefinitionDocument, { input: { id, draft: what === 'draft' } })
    setBusy(null)
    onChange()
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    const { version, verification, upcoming } = outcome.payload
    setVerified({
      of: version === null ? 'The draft, as it was just now' : `Version ${version.version}, just now`,
      report: verification,
      upcoming: version === null || versionVerified ? null : upcoming,
    })
  }

  return (
    <div className={classes.panel}>
      {mayVerify && (
        <Group mb="md" gap="xs">
          {currentVersion !== null && (
            <Button
              variant="default"
              loading={busy === 'version'}
              disabled={busy !== null}
              onClick={() => void verify('version')}
            >
              Verify version {currentVersion.version}
            </Button>
          )}
          <Button
            variant="default"
            loading={busy === 'draft'}
            disabled={busy !== null}
            onClick={() => void verify('draft')}
          >
            Verify the draft
          </Button>
          {busy !== null && (
            <Text role="status" fz="sm" c="dimmed">
              Every step is asked whether it would work; that may take half a minute.
            </Text>
          )}
        </Group>
      )}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {verified !== null ? (
        <Section title={verified.of}>
          {verified.upcoming !== null && (
            <UpcomingChange upcoming={verified.upcoming} isHeld={!verified.report.passed} />
          )}
          <Verification report={verified.report} />
        </Section>
      ) : kept !== null && currentVersion !== null ? (
        <Section title={`Version ${currentVersion.version}`}>
          <Verification report={kept} />
        </Section>
      ) : (
        <Empty icon={IconShieldQuestion} title="Nothing was verified yet" level={2}>
          <p>
            {mayVerify
              ? 'Verify the draft to see whether each of its steps would work; publishing does that too.'
              : 'Publishing verifies: every step is asked whether it would work.'}
          </p>
        </Empty>
      )}
    </div>
  )
}
