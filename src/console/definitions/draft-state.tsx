import { IconCircleCheck, IconPencil } from '@tabler/icons-react'
import { ActionRisksDocument, type DefinitionPageFragment } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { Empty } from '../ui/empty.tsx'
import { Section } from '../ui/section.tsx'
import { contentOfDraft, contentOfVersion } from './content.ts'
import classes from './definition.module.css'
import { DifferenceList } from './difference-list.tsx'
import { pinned } from './differences.ts'
import { IssueList } from './issue-list.tsx'
import { useDifferences } from './use-differences.ts'

const NOTHING = {}

/** What keeps the draft from being published, what is odd in it, and how it differs from what runs. */
export function DraftState({ definition, mayEdit }: { definition: DefinitionPageFragment; mayEdit: boolean }) {
  const { data } = useLive({ query: ActionRisksDocument, variables: NOTHING }, null)
  const differences = useDifferences()
  const { draftIssues, draftWarnings, currentVersion } = definition
  const found =
    currentVersion === null || data === undefined
      ? []
      : differences(contentOfVersion(currentVersion), {
          ...pinned(contentOfDraft(definition), data.actions),
          title: null,
          description: null,
        })
  return (
    <div className={classes.panel}>
      {draftIssues.length > 0 && (
        <Section title="To be solved before it is published" count={draftIssues.length}>
          <IssueList found={draftIssues} content={contentOfDraft(definition)} />
        </Section>
      )}
      {draftWarnings.length > 0 && (
        <Section title="Allowed, but odd" count={draftWarnings.length}>
          <IssueList found={draftWarnings} content={contentOfDraft(definition)} />
        </Section>
      )}
      {currentVersion === null ? (
        <Empty icon={IconPencil} title="It was never published" level={2}>
          <p>
            {mayEdit
              ? 'Edit the draft until it says what the event does, then publish it: runs are made of versions.'
              : 'An admin publishes it when it is ready: runs are made of versions.'}
          </p>
        </Empty>
      ) : found.length === 0 ? (
        data !== undefined && (
          <Empty
            icon={IconCircleCheck}
            title={`The draft says the same as version ${currentVersion.version}`}
            level={2}
          >
            <p>
              {mayEdit
                ? 'What you change in the draft touches no run until you publish it.'
                : 'An admin may change it; that touches no run until it is published.'}
            </p>
          </Empty>
        )
      ) : (
        <Section title={`Not in version ${currentVersion.version} yet`} count={found.length}>
          <DifferenceList found={found} label="Differences of the draft" />
        </Section>
      )}
    </div>
  )
}
