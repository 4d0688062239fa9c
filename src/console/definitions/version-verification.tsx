import { Button, Group } from '@mantine/core'
import { IconShieldQuestion } from '@tabler/icons-react'
import { useState } from 'react'
import type { DefinitionPageFragment } from '../../generated/console/documents.ts'
import { Empty } from '../ui/empty.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import classes from './definition.module.css'
import { useVerifying, type Verifiable } from './use-verifying.ts'
import { Verification } from './verification.tsx'
import { VerifiedFindings, VerifyingStatus } from './verified.tsx'

type VerificationProps = { definition: DefinitionPageFragment; mayVerify: boolean; onChange(): void }

/** What the last verification of the current version found; it and the draft can be verified anew. */
export function VersionVerification({ definition, mayVerify, onChange }: VerificationProps) {
  const { id, currentVersion, versionVerified } = definition
  const verifying = useVerifying(id)
  const { busy, problem, verified } = verifying
  const [hadPassed, setHadPassed] = useState(versionVerified)
  const kept = currentVersion?.verification ?? null

  const verify = async (what: Verifiable) => {
    setHadPassed(versionVerified)
    await verifying.verify(what)
    onChange()
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
          <VerifyingStatus verifying={verifying} />
        </Group>
      )}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {verified !== null ? (
        <Section
          title={
            verified.version === null
              ? 'The draft, as it was just now'
              : `Version ${verified.version.version}, just now`
          }
        >
          <VerifiedFindings verified={verified} hadPassed={hadPassed} />
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
