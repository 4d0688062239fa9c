import { createHash } from 'node:crypto'
import type { ControlContext } from '../controls/context.ts'
import { SLUG } from '../domain/slug.ts'
import { readSlugHolder } from '../store/definitions.ts'
import { isDatabaseAway } from '../store/faults.ts'
import { findValidToken } from '../store/tokens.ts'
import { TOKEN_MAX } from './authenticate.ts'
import { calendarFeed } from './calendar-feed.ts'
import { keptTexts } from './kept-texts.ts'
import type { Logger } from './logger.ts'
import { createNoteUse } from './token-use.ts'

export const CALENDAR_PATH = '/calendar.ics'

/** The feed with a tag that is the same for the same text, or why there is none. */
export type CalendarAnswer =
  | { kind: 'feed'; text: string; etag: string }
  | { kind: 'refused'; status: 401 | 404 | 429 | 503; error: string }

/**
 * Answers `/calendar.ics` by what its address asks. `admit` is told whose secret it is, a bare UUID, before any work is
 * done for it. False: too much is being done for that secret already.
 */
export type CalendarEndpoint = (query: URLSearchParams, admit: (tokenId: string) => boolean) => Promise<CalendarAnswer>

const NO_SECRET = `${CALENDAR_PATH} needs its secret in the address: ${CALENDAR_PATH}?secret=… An admin of this server makes one in the console under Tokens, or with "cuelight token create NAME --role CALENDAR".`
const WRONG_SECRET =
  'The secret in the address is not valid: it is wrong, was revoked, has expired, or is of another role than CALENDAR. Ask an admin of this server for a new one.'
const TOO_MANY =
  'Too many requests with this secret are being answered; ask again in a moment, and give every calendar service its own.'
const AWAY = 'The calendar cannot be read at the moment, as the database does not answer; ask again later.'

/**
 * `/calendar.ics` for who has the secret of a calendar, a token of the role CALENDAR, in the address: calendars can send
 * no header. No other token is taken there, since addresses end up in logs and histories.
 */
export function createCalendarEndpoint({
  control,
  publicUrl,
  log,
}: {
  control: ControlContext
  publicUrl: string | null
  log: Logger
}): CalendarEndpoint {
  const textOf = keptTexts(() => performance.now())
  const noteUse = createNoteUse({ db: control.db, log })
  const answer: CalendarEndpoint = async (query, admit) => {
    const secret = query.get('secret') ?? ''
    if (secret === '') return refused(401, NO_SECRET)
    const now = new Date(control.clock.now())
    const token = secret.length > TOKEN_MAX ? null : await findValidToken(control.db, secret, { now })
    if (token?.role !== 'CALENDAR') return refused(401, WRONG_SECRET)
    if (!admit(token.id)) return refused(429, TOO_MANY)
    await noteUse(token, now)
    const slug = query.get('event')
    const definitionId = slug !== null && SLUG.test(slug) ? await readSlugHolder(control.db.prisma, slug) : null
    if (slug !== null && definitionId === null) {
      const error = `There is no event ${JSON.stringify(slug.slice(0, 100))}; leave event= out of the address, or give the slug of one.`
      return refused(404, error)
    }
    const text = await textOf(definitionId ?? '', () => calendarFeed(control, { publicUrl, definitionId }))
    return { kind: 'feed', text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  }
  return async (query, admit) => {
    try {
      return await answer(query, admit)
    } catch (error) {
      if (isDatabaseAway(error)) return refused(503, AWAY)
      throw error
    }
  }
}

const refused = (status: 401 | 404 | 429 | 503, error: string): CalendarAnswer => ({ kind: 'refused', status, error })
