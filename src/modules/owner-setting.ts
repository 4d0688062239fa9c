import { z } from 'zod'
import { issueOf } from './schema/check.ts'
import { judgeZod } from './schema/zod-schema.ts'

// All of it is worded here, because what was given may be secret and must not be quoted.

const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

const isSecret = (text: string): boolean => {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text)?.[1]
  const bytes = Buffer.from(base64 ?? '', 'base64').length
  return bytes >= 24 && bytes <= 64
}

/** An address that requests may go to. */
export const ownerAddress = z
  .string('must be a text; give the address to post to.')
  .refine(isAddress, 'must be an http or https address without a user name and password; correct it.')

/** A secret of the Standard Webhooks specification; `missing` is the sentence for one that is no text. */
export const signingSecret = (missing: string) =>
  z
    .string(missing)
    .refine(
      isSecret,
      'must be "whsec_" and 24 to 64 bytes in base64; make one with: echo "whsec_$(openssl rand -base64 32)".',
    )

/**
 * Reads a setting that is a JSON list; without a value the list is empty. Each problem is a sentence that begins with the
 * name of the setting and the field and quotes nothing that was given; with a problem there are no entries.
 */
export function readOwnerList<T>(
  name: string,
  text: string | undefined,
  { shape, example, among }: { shape: z.ZodType<T>; example: string; among(entries: readonly T[]): string[] },
): { entries: T[]; problems: string[] } {
  if (text === undefined || text.trim() === '') return { entries: [], problems: [] }
  const refuse = (...problems: string[]) => ({ entries: [], problems: problems.map((problem) => `${name}${problem}`) })
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return refuse(` must be a JSON list like ${example}, and is no JSON; correct it.`)
  }
  const judged = judgeZod(z.array(shape), given)
  if (!judged.ok) {
    const issues = judged.findings.map(issueOf)
    return refuse(
      ...issues.map(({ path, message }) => `${path === '' || path.startsWith('[') ? path : `.${path}`} ${message}`),
    )
  }
  const problems = among(judged.value)
  return problems.length > 0 ? refuse(...problems) : { entries: judged.value, problems: [] }
}
