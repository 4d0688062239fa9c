import { Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { DefinitionPageFragment } from '../../generated/console/documents.ts'
import runClasses from '../run/run.module.css'
import type { RunChanges } from '../run/run-changes.ts'
import { useMay } from '../session/viewer-context.ts'
import { DefinitionHead } from './definition-head.tsx'
import { DefinitionRuns } from './definition-runs.tsx'
import { DraftState } from './draft-state.tsx'
import { Occurrences } from './occurrences.tsx'
import { SpecRundown } from './spec-rundown.tsx'
import { VersionList } from './version-list.tsx'
import { VersionVerification } from './version-verification.tsx'

export type DefinitionViewProps = {
  definition: DefinitionPageFragment
  changes: RunChanges | null
  /** The address asks for the dialog of publishing. */
  isPublishing: boolean
  refresh(): void
}

/** All of one definition: what it does, when it comes, its draft, its versions and its runs. */
export function DefinitionView({ definition, changes, isPublishing, refresh }: DefinitionViewProps) {
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false })
  const mayEdit = useMay('ADMIN') && definition.state !== 'ARCHIVED'
  const { currentVersion } = definition
  const rundown = (
    <SpecRundown
      phases={currentVersion?.spec.phases ?? definition.draft.phases}
      title={currentVersion === null ? 'What the draft does' : `What version ${currentVersion.version} does`}
    />
  )
  return (
    <>
      <DefinitionHead definition={definition} isPublishing={isPublishing} refresh={refresh} />
      <div className={runClasses.columns}>
        {isWide && (
          <section aria-label="Rundown" className={runClasses.left}>
            {rundown}
          </section>
        )}
        <Tabs
          key={isWide ? 'wide' : 'narrow'}
          defaultValue={isWide ? 'draft' : 'rundown'}
          keepMounted={false}
          className={runClasses.right}
        >
          <Tabs.List aria-label="Parts of the definition" className={runClasses.tabs}>
            {!isWide && <Tabs.Tab value="rundown">Rundown</Tabs.Tab>}
            <Tabs.Tab value="draft">Draft</Tabs.Tab>
            <Tabs.Tab value="occurrences">Next</Tabs.Tab>
            <Tabs.Tab value="runs">Runs</Tabs.Tab>
            <Tabs.Tab value="versions">Versions</Tabs.Tab>
            <Tabs.Tab value="verification">Verification</Tabs.Tab>
          </Tabs.List>
          {!isWide && <Tabs.Panel value="rundown">{rundown}</Tabs.Panel>}
          <Tabs.Panel value="draft">
            <DraftState definition={definition} mayEdit={mayEdit} />
          </Tabs.Panel>
          <Tabs.Panel value="occurrences">
            <Occurrences definition={definition} />
          </Tabs.Panel>
          <Tabs.Panel value="runs">
            <DefinitionRuns definitionId={definition.id} changes={changes} />
          </Tabs.Panel>
          <Tabs.Panel value="versions">
            <VersionList definition={definition} />
          </Tabs.Panel>
          <Tabs.Panel value="verification">
            <VersionVerification definition={definition} mayVerify={mayEdit} onChange={refresh} />
          </Tabs.Panel>
        </Tabs>
      </div>
    </>
  )
}
