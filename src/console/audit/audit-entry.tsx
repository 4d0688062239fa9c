import { Button } from '@mantine/core'
import type { AuditQuery } from '../../generated/console/documents.ts'
import { Instant } from '../time/instant.tsx'
import classes from './audit.module.css'
import { detailText, didOf } from './audit-words.ts'

type AuditEntryProps = {
  entry: AuditQuery['auditLog']['edges'][number]['node']
  /** What it was done to is called so; null: not known any more. */
  name: string | null
  onSubject(subject: string): void
}

/** One entry in a sentence; all that is kept of it is one click away. */
export function AuditEntry({ entry, name, onSubject }: AuditEntryProps) {
  const { at, actor, action, subject, detail } = entry
  const details = Object.entries(detail)
  const reason = typeof detail.reason === 'string' ? detail.reason : null
  return (
    <li>
      <details className={classes.entry}>
        <summary className={classes.summary}>
          <span className={classes.sentence}>
            <strong>{actor.name}</strong> {didOf(action)} <strong>{name ?? subject ?? ''}</strong>
            {reason !== null && <span className={classes.reason}>{reason}</span>}
          </span>
          <Instant at={at} zone={null} />
        </summary>
        <dl className={classes.facts}>
          <dt>Action</dt>
          <dd>
            <code>{action}</code>
          </dd>
          {subject !== null && (
            <>
              <dt>Done to</dt>
              <dd>
                <code>{subject}</code>
                <Button size="compact-sm" variant="default" onClick={() => onSubject(subject)}>
                  All that was done to it
                </Button>
              </dd>
            </>
          )}
          <dt>By</dt>
          <dd>{actor.kind === 'TOKEN' ? `a token called ${actor.name}` : actor.name}</dd>
          {details.map(([key, value]) => (
            <div key={key} className={classes.fact}>
              <dt>{key}</dt>
              <dd>{detailText(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  )
}
