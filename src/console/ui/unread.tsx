import { Button } from '@mantine/core'
import type { CombinedError } from '@urql/core'
import { sentenceOf } from '../api/act.ts'
import { Loading } from './loading.tsx'
import { Notice } from './notice.tsx'
import type { PagePlace } from './page-place.ts'

/** What stands where something was not read yet: that it is being read, or why it cannot be. */
export function Unread({ what, error }: { what: string; error: CombinedError | null }) {
  return error === null ? <Loading what={what} /> : <Notice tone="bad">{sentenceOf(error)}</Notice>
}

type UnreadPageProps = {
  what: string
  error: CombinedError | null
  place: PagePlace
  onFront(): void
}

/** The same of a list that has pages: an address may name a place that the list does not have. */
export function UnreadPage({ what, error, place, onFront }: UnreadPageProps) {
  const isFront = place.after === undefined && place.before === undefined
  return (
    <>
      <Unread what={what} error={error} />
      {error !== null && !isFront && (
        <Button variant="default" mt="sm" onClick={onFront}>
          Show the newest
        </Button>
      )}
    </>
  )
}
