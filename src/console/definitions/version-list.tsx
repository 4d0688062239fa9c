import { IconVersions } from '@tabler/icons-react'
import { useEffect } from 'react'
import { type DefinitionPageFragment, DefinitionVersionsDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { Instant } from '../time/instant.tsx'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { Unread } from '../ui/unread.tsx'
import classes from './definition.module.css'
import { VersionComparison } from './version-comparison.tsx'

const SHOWN = 100

/** Everything that was published, and how any two of it differ. */
export function VersionList({ definition }: { definition: DefinitionPageFragment }) {
  const { data, error, refresh } = useLive(
    { query: DefinitionVersionsDocument, variables: { id: definition.id, first: SHOWN } },
    null,
  )
  const current = definition.currentVersion
  const found = data?.definition?.versions.edges.map(({ node }) => node)
  const isOld = found !== undefined && current !== null && found[0]?.id !== current.id
  useEffect(() => {
    // It was published while this was open.
    if (isOld) refresh()
  }, [isOld, refresh])
  if (found === undefined) {
    return <Unread what="its versions" error={error} />
  }
  if (found.length === 0) {
    return (
      <div className={classes.panel}>
        <Empty icon={IconVersions} title="It has no version yet" level={2}>
          <p>Publishing the draft makes the first.</p>
        </Empty>
      </div>
    )
  }
  return (
    <div className={classes.panel}>
      <VersionComparison definition={definition} versions={found} />
      <ul className={classes.occurrences} aria-label="Versions">
        {found.map(({ id, version, publishedAt, publishedBy, verifiedAt }) => (
          <li key={id} className={classes.occurrence}>
            <strong>Version {version}</strong>
            <span className={classes.dim}>
              <Instant at={publishedAt} zone={null} /> by <bdi>{publishedBy.name}</bdi>
            </span>
            <span className={classes.end}>
              {verifiedAt === null && <Chip tone="bad">Not verified</Chip>}
              {id === current?.id && <Chip tone="live">Current</Chip>}
            </span>
          </li>
        ))}
      </ul>
      {data?.definition?.versions.totalCount !== found.length && <p>These are the {found.length} latest of them.</p>}
    </div>
  )
}
