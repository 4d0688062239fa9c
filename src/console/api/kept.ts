import { useState } from 'react'
import type { Read } from './reader.ts'

/** The last answer there was, and to what: while there is none yet to what is asked now. */
export type Kept<Answer, Asked> = { answer: Answer; asked: Asked }

/**
 * What stands where something is searched for: the last answer until there is one to what is `asked` now. Where that
 * cannot be read nothing stands for it, so that the error can: undefined, as before the first answer.
 */
export function useKept<Answer, Asked>(
  { data, error }: Pick<Read<Answer>, 'data' | 'error'>,
  asked: Asked,
): Kept<Answer, Asked> | undefined {
  const [kept, setKept] = useState<Kept<Answer, Asked> | undefined>(
    data === undefined ? undefined : { answer: data, asked },
  )
  if (data !== undefined && data !== kept?.answer) setKept({ answer: data, asked })
  return data === undefined && error !== null ? undefined : kept
}
