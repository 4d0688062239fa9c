import type pg from 'pg'
import { specOf } from './stories.ts'

/** Versions that every definition has; runs are of them in turn, the last ones of the current. */
export const VERSIONS = 3

/**
 * Published and verified definitions that occur daily, every fifth with a concurrency key, expanded to the horizon and
 * up to a day beyond.
 */
export async function insertDefinitions(
  client: pg.Client,
  { definitions, now, aheadMs }: { definitions: number; now: Date; aheadMs: number },
): Promise<void> {
  const rows = Array.from({ length: definitions }, (_, index) => {
    const start = new Date(now.getTime() - 400 * 86_400_000 + (index % 1440) * 60_000).toISOString().slice(0, 16)
    return {
      slug: `event-${index}`,
      title: `The invasion of ${['Yew', 'Britain', 'Minoc', 'Vesper', 'Trinsic'][index % 5]}, part ${index}`,
      key: index % 5 === 0 ? `key ${index}` : null,
      spec: specOf({ recurring: { start, rule: 'FREQ=DAILY', exclude: [], include: [] } }),
      until: new Date(now.getTime() + aheadMs + (1 + (index % 1440)) * 60_000),
    }
  })
  const asRows = `jsonb_to_recordset($1::jsonb) AS x(slug text, title text, key text, spec jsonb, until timestamptz)`
  const json = JSON.stringify(rows)
  await client.query(
    `INSERT INTO definitions (id, slug, title, concurrency_key, draft, created_at, updated_at)
     SELECT uuidv7(), slug, title, key, spec, $2::timestamptz - interval '400 days', $2 FROM ${asRows}`,
    [json, now],
  )
  await client.query(
    `INSERT INTO versions (id, definition_id, version, spec, time_zone, grace_seconds, concurrency_key, parameters,
       published_at, published_by_kind, published_by_name, verified_at)
     SELECT uuidv7(), d.id, v, x.spec, 'UTC', 900, x.key, '[]', $2::timestamptz - (400 - v * 100) * interval '1 day',
       'USER', 'Mira', $2
     FROM ${asRows} JOIN definitions d ON d.slug = x.slug CROSS JOIN generate_series(1, ${VERSIONS}) v`,
    [json, now],
  )
  await client.query(
    `UPDATE definitions d SET state = 'READY', current_version_id = v.id, materialised_until = x.until
     FROM ${asRows} CROSS JOIN versions v WHERE d.slug = x.slug AND v.definition_id = d.id AND v.version = ${VERSIONS}`,
    [json],
  )
  await client.query('ANALYZE definitions, versions')
}
