import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import {
  ActionRisksDocument,
  type DefinitionPageFragment,
  type DefinitionVersionsQuery,
} from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { type Content, contentOfDraft, contentOfVersion } from './content.ts'
import classes from './definition.module.css'
import { DifferenceList } from './difference-list.tsx'
import { pinned } from './differences.ts'
import { useDifferences } from './use-differences.ts'

const NOTHING = {}
const DRAFT = 'draft'

type Version = NonNullable<DefinitionVersionsQuery['definition']>['versions']['edges'][number]['node']
type ComparisonProps = { definition: DefinitionPageFragment; versions: readonly Version[] }

/** How any two versions differ, or the draft from one. */
export function VersionComparison({ definition, versions }: ComparisonProps) {
  const { data } = useLive({ query: ActionRisksDocument, variables: NOTHING }, null)
  const differences = useDifferences()
  const [newer, setNewer] = useState<string | null>(null)
  const [older, setOlder] = useState<string | null>(null)
  // The latest with the one before it, until somebody chooses.
  const to = newer ?? (versions.length > 1 ? (versions[0]?.id ?? DRAFT) : DRAFT)
  const from = older ?? versions[versions.length > 1 ? 1 : 0]?.id ?? DRAFT

  const contentOf = (id: string): Content => {
    const version = versions.find((one) => one.id === id)
    return version === undefined
      ? { ...pinned(contentOfDraft(definition), data?.actions ?? []), title: null, description: null }
      : contentOfVersion(version)
  }
  const choices = [
    { value: DRAFT, label: 'The draft' },
    ...versions.map(({ id, version }) => ({ value: id, label: `Version ${version}` })),
  ]
  const found = data === undefined ? null : differences(contentOf(from), contentOf(to))
  return (
    <section aria-label="Comparison" className={classes.comparison}>
      <div className={classes.compared}>
        <NativeSelect
          label="From"
          data={choices}
          value={from}
          onChange={(event) => setOlder(event.currentTarget.value)}
        />
        <NativeSelect label="To" data={choices} value={to} onChange={(event) => setNewer(event.currentTarget.value)} />
      </div>
      {found !== null && (
        <>
          <p role="status" className={classes.dim}>
            {found.length === 0
              ? 'Both say the same.'
              : found.length === 1
                ? '1 difference'
                : `${found.length} differences`}
          </p>
          <DifferenceList found={found} label="Differences" />
        </>
      )}
    </section>
  )
}
