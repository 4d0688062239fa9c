import { Fragment } from 'react'
import classes from './actions.module.css'
import type { Uses } from './uses.ts'

/** The events that name an action or trigger. */
export function UsedBy({ id, uses: { byId, isPartial } }: { id: string; uses: Uses }) {
  if (byId === null) return null
  const titles = byId.get(id) ?? []
  return (
    <section aria-label={`Events that use ${id}`}>
      <h4 className={classes.part}>Used by</h4>
      <p className={classes.uses}>
        {titles.length === 0
          ? 'No published event uses it.'
          : titles.map((title, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two events may have one title
              <Fragment key={at}>
                {at > 0 && ', '}
                <bdi>{title}</bdi>
              </Fragment>
            ))}
        {isPartial && ' Only the first 200 events were looked at.'}
      </p>
    </section>
  )
}
