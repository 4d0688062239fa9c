import type { CombinedError } from '@urql/core'
import { sentenceOf } from '../api/act.ts'
import { Loading } from './loading.tsx'
import { Notice } from './notice.tsx'

/** What stands where something was not read yet: that it is being read, or why it cannot be. */
export function Unread({ what, error }: { what: string; error: CombinedError | null }) {
  return error === null ? <Loading what={what} /> : <Notice tone="bad">{sentenceOf(error)}</Notice>
}
