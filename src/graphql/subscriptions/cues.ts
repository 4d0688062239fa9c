import type { Step } from '../../generated/prisma/client.ts'
import type { Changes } from '../../store/changes.ts'
import { openCues } from '../../store/cue-reads.ts'
import type { Database } from '../../store/database.ts'
import { stepsByIds } from '../../store/node-reads.ts'
import { needs } from '../access.ts'
import { builder } from '../builder.ts'
import { Cue } from '../cue.ts'
import { BoardSource, type Found, type OpenBoard, type Wanted } from './board.ts'
import { follow, type Look, REST_MS } from './follow.ts'

type CueEvent = { type: 'OPENED' | 'CLAIMED' | 'RESOLVED'; cue: Step }
type Sources = { db: Database; changes: Changes }
type Options = { scope: string | null; onOutage: (error: unknown) => void; pollMs?: number; restMs?: number }

/**
 * The cues of a scope (null: of all) as events: first each open one as OPENED, oldest first, then what changes. It
 * tells the difference between what it has sent and what the table holds, so that a cue that opened and was resolved
 * between two looks is not heard of, and none stays open by mistake. Each look reads all that are open.
 */
export const cueBoard = (sources: Sources, options: Options): BoardSource<CueEvent, Step> =>
  new BoardSource({
    // Asked again, it is another cue.
    returns: false,
    restMs: options.restMs ?? REST_MS,
    onOutage: options.onOutage,
    open: ({ onNews }) => openBoard(sources, { ...options, onNews }),
    newsOf: ({ type, cue }) => ({
      id: cue.id,
      isThere: type !== 'RESOLVED',
      place: { rank: 0, at: parkedAtOf(cue) },
      kept: cue,
    }),
  })

function openBoard(
  { db, changes }: Sources,
  { scope, onOutage, onNews, pollMs, restMs = REST_MS }: Options & { onNews: (event: CueEvent) => void },
): OpenBoard<CueEvent, Step> {
  const sent = new Map<string, Step>()
  let found: CueEvent[] | null = null
  const look = async (): Promise<Look<CueEvent>> => {
    const before = found
    found ??= await changesSince(db, { scope, sent })
    const event = found.shift()
    if (event !== undefined) {
      onNews(event)
      return { value: event }
    }
    found = null
    // While those found were delivered others may have come.
    return before === null ? 'WAIT' : 'REST'
  }
  let lookAgain = () => {}
  const events = follow({
    look,
    onChange: (listener) => {
      lookAgain = listener
      return changes.onCues(listener)
    },
    onOutage,
    restMs,
    ...(pollMs === undefined ? {} : { pollMs }),
  })
  return {
    events,
    async read(wanted) {
      const ids = wanted.map(({ id }) => id)
      const steps = await stepsByIds(db, ids, {})
      const shown = wanted.map((cue) => asEvent(cue, steps.get(cue.id)))
      if (shown.includes('LATER')) lookAgain()
      return shown
    },
  }
}

function asEvent({ as, kept }: Wanted<Step>, now: Step | undefined): Found<CueEvent> {
  if (as === 'GONE') return { event: { type: 'RESOLVED', cue: asItWas(kept, now) } }
  if (now === undefined || !now.parked || parkedAtOf(now) !== parkedAtOf(kept)) return 'LATER'
  // Nobody is told of a claim before those who are told live, who would be told of the one before it after it.
  if (isClaimedAnew(kept, now)) return 'LATER'
  return { event: { type: as === 'NEW' ? 'OPENED' : 'CLAIMED', cue: now } }
}

const parkedAtOf = ({ parkedAt }: Step): number => parkedAt?.getTime() ?? 0

/** Shown as the cue that it was, whatever became of the step. */
const asItWas = (before: Step, now: Step | undefined): Step => ({
  ...before,
  ...now,
  parkedAt: before.parkedAt,
  instruction: before.instruction,
})

async function changesSince(
  db: Database,
  { scope, sent }: { scope: string | null; sent: Map<string, Step> },
): Promise<CueEvent[]> {
  const open = new Map((await openCues(db, { scope })).map((cue) => [cue.id, cue]))
  const isSameCue = (before: Step | undefined, now: Step | undefined) =>
    before?.parkedAt?.getTime() === now?.parkedAt?.getTime()
  const gone = [...sent.values()].filter((before) => !isSameCue(before, open.get(before.id)))
  const nowOf =
    gone.length === 0
      ? new Map<string, Step>()
      : await stepsByIds(
          db,
          gone.map(({ id }) => id),
          {},
        )
  const resolved = gone.map((before): CueEvent => {
    sent.delete(before.id)
    return { type: 'RESOLVED', cue: asItWas(before, nowOf.get(before.id)) }
  })
  const others = [...open.values()].flatMap((cue): CueEvent[] => {
    const before = sent.get(cue.id)
    sent.set(cue.id, cue)
    if (before === undefined) return [{ type: 'OPENED', cue }]
    return isClaimedAnew(before, cue) ? [{ type: 'CLAIMED', cue }] : []
  })
  return [...resolved, ...others]
}

const claimOf = ({ cueClaimedByKind, cueClaimedByName, cueClaimedAt }: Step) =>
  cueClaimedByName === null ? null : `${cueClaimedByKind} ${cueClaimedAt?.getTime()} ${cueClaimedByName}`

const isClaimedAnew = (before: Step, now: Step): boolean => claimOf(now) !== null && claimOf(now) !== claimOf(before)

const CueEventType = builder.enumType('CueEventType', {
  description: 'What happened to a cue.',
  values: {
    OPENED: { description: 'It waits for a person.' },
    CLAIMED: { description: 'Somebody said "I have it", or took it over.' },
    RESOLVED: { description: 'It waits no more: confirmed, skipped, or its run ended.' },
  },
})

const CueEventRef = builder.objectRef<CueEvent>('CueEvent').implement({
  description: 'A change of a cue.',
  fields: (t) => ({
    type: t.expose('type', { type: CueEventType, description: 'What happened.' }),
    cue: t.field({ type: Cue, description: 'The cue as it is now.', resolve: ({ cue }) => cue }),
  }),
})

builder.subscriptionField('cues', (t) =>
  t.field({
    type: CueEventRef,
    authScopes: needs('VIEWER'),
    description: 'First the open cues, one event each, then changes. After subscribing again, forget what you had.',
    args: { scope: t.arg.string({ description: "Of runs in this scope, '' too; of all where omitted." }) },
    subscribe: (_root, { scope }, { control, onOutage }) => cueBoard(control, { scope: scope ?? null, onOutage }),
    resolve: (event) => event,
  }),
)
