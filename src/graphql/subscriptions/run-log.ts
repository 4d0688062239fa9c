import { type GraphQLResolveInfo, Kind } from 'graphql'
import { uuidOf } from '../../domain/ids.ts'
import { isTerminal } from '../../domain/run.ts'
import type { Changes } from '../../store/changes.ts'
import type { Database } from '../../store/database.ts'
import { type LogHead, type LogRow, logAfter, logHead } from '../../store/log-reads.ts'
import { needs } from '../access.ts'
import { builder } from '../builder.ts'
import { RunLogEntry } from '../log.ts'
import { badUserInput, nothingToFollow } from '../request-errors.ts'
import { follow, type Look } from './follow.ts'
import { Replayable } from './replayable.ts'

type LogBatch = { entries: LogRow[]; cursor: number }

/** Most lines of one event, and most characters of their text and detail: a frame stays small, a long replay is many. */
const MAX_LINES = 500
const MAX_CHARACTERS = 128 * 1024

/** Nothing that the run does by itself will be logged any more. */
const isOver = ({ status, cleanupStatus, stepInFlight }: LogHead) =>
  isTerminal(status) && cleanupStatus !== 'PENDING' && !stepInFlight

/**
 * The log of a run behind line `after`, in order, without gap or repeat, going on live. Ends when the run is over and
 * all is delivered. Throws NOT_FOUND when there is no such run. `pollMs`: how long a change may go unnoticed that
 * nobody told of.
 */
export async function openLog(
  { db, changes }: { db: Database; changes: Changes },
  { runId, after, cursorVariable = null, onOutage, pollMs }: LogOptions,
): Promise<Replayable<LogBatch>> {
  const opened = await logHead(db, runId)
  if (opened === null) throw noSuchRun()
  const read = async (range: { after: number; upTo?: number }): Promise<LogBatch | null> => {
    const entries = upToSize(await logAfter(db, runId, { ...range, limit: MAX_LINES, size: MAX_CHARACTERS }))
    return entries.length === 0 ? null : batchOf(entries)
  }
  return new Replayable({
    after,
    end: opened.lastLine,
    cursorVariable,
    read,
    onOutage,
    cursorOf: ({ cursor }) => cursor,
    halves: ({ entries }) => {
      const middle = Math.ceil(entries.length / 2)
      return entries.length < 2 ? null : [batchOf(entries.slice(0, middle)), batchOf(entries.slice(middle))]
    },
    follow(from) {
      let cursor = from
      // The head before the lines: what it says is over was over before they are read, so that none is missed at the end.
      const atItsEnd = async (): Promise<LogBatch | 'WAIT' | 'END'> => {
        const now = await logHead(db, runId)
        if (now === null) return 'END'
        // It tells of lines that pruning has deleted since, too.
        const late = now.lastLine > cursor ? await read({ after: cursor }) : null
        return late ?? (isOver(now) ? 'END' : 'WAIT')
      }
      const look = async (): Promise<Look<LogBatch>> => {
        // A busy log is not asked for its head.
        const batch = (await read({ after: cursor })) ?? (await atItsEnd())
        if (typeof batch === 'string') return batch
        cursor = batch.cursor
        return { value: batch }
      }
      return follow({
        look,
        onChange: (listener) => changes.onRun(runId, listener),
        onOutage,
        hasBegun: true,
        ...(pollMs === undefined ? {} : { pollMs }),
      })
    },
  })
}

type LogOptions = {
  runId: string
  after: number
  /** See `Log`. */
  cursorVariable?: string | null
  onOutage: (error: unknown) => void
  pollMs?: number
}

const batchOf = (entries: LogRow[]): LogBatch => ({ entries, cursor: entries.at(-1)?.line ?? 0 })

/** The variable that an argument of the field is; null for anything else. */
function variableOf({ fieldNodes }: GraphQLResolveInfo, argument: string): string | null {
  const value = fieldNodes[0]?.arguments?.find(({ name }) => name.value === argument)?.value
  return value?.kind === Kind.VARIABLE ? value.name.value : null
}

const noSuchRun = () => nothingToFollow('There is no run with this id. Pass an id that the API answered.')

/** The first lines that fit, and never none. */
function upToSize(lines: LogRow[]): LogRow[] {
  let characters = 0
  const end = lines.findIndex(({ text, detail }) => {
    characters += text.length + JSON.stringify(detail).length
    return characters > MAX_CHARACTERS
  })
  return end === -1 ? lines : lines.slice(0, Math.max(end, 1))
}

const RunLogBatch = builder.objectRef<LogBatch>('RunLogBatch').implement({
  description: 'Lines in order; `cursor` is the last line, to pass as `after` on reconnecting.',
  fields: (t) => ({
    entries: t.field({ type: [RunLogEntry], description: 'At least one line.', resolve: ({ entries }) => entries }),
    cursor: t.exposeInt('cursor', { description: 'Number of the last line of `entries`.' }),
  }),
})

builder.subscriptionField('runLog', (t) =>
  t.field({
    type: RunLogBatch,
    authScopes: needs('VIEWER'),
    description:
      'Replays from the line after `after` (0: the beginning), then goes on live; ends when the run is terminal, its cleanup is not PENDING, no step is in flight and all is delivered; later lines come on subscribing again. A run that does not exist is a NOT_FOUND error.',
    args: {
      runId: t.arg.id({ required: true, description: 'Id of the run.' }),
      after: t.arg.int({
        defaultValue: 0,
        description:
          'The last line that you have: 0 or more. Beyond the end of the log: only lines with a higher number come.',
      }),
    },
    subscribe: async (_root, { runId, after }, { control, onOutage }, info) => {
      if (after != null && after < 0) throw badUserInput(`after is 0 or the number of a line, not ${after}.`)
      const uuid = uuidOf(runId, 'Run')
      if (uuid === null) throw noSuchRun()
      return openLog(control, { runId: uuid, after: after ?? 0, cursorVariable: variableOf(info, 'after'), onOutage })
    },
    resolve: (batch) => batch,
  }),
)
