import { useState } from 'react'

/** The last answer there was, and to what: while there is none yet to what is asked now. */
export type Kept<Answer, Asked> = { answer: Answer; asked: Asked }

/** Keeps an answer until there is another; `answer` is undefined while what is `asked` is not answered. */
export function useKept<Answer, Asked>(answer: Answer | undefined, asked: Asked): Kept<Answer, Asked> | undefined {
  const [kept, setKept] = useState<Kept<Answer, Asked> | undefined>(
    answer === undefined ? undefined : { answer, asked },
  )
  if (answer !== undefined && answer !== kept?.answer) setKept({ answer, asked })
  return kept
}
