import { showInstant } from './instant.ts'
import type { LogLine } from './log-line.ts'
import { type Paint, styleOfStatus } from './paint.ts'
import { printable } from './printable.ts'
import type { RunView } from './run-view.ts'

type Style = Parameters<Paint>[0]
type Part = { text: string; style?: Style }
type Line = Part[]

/** What a frame is drawn from and for. */
export type Frame = {
  run: RunView
  log: readonly LogLine[]
  /** Something about the connection; null where there is nothing to say. */
  remark: string | null
  now: number
  viewerZone: string
  paint: Paint
  /** The room that there is; without it nothing is cut. */
  room?: { columns: number; rows: number }
}

/** A run as it is shown while it is watched: lines of text, the log last, cut to the room that there is. */
export function runFrame({ run, log, remark, now, viewerZone, paint, room }: Frame): string[] {
  const at = (instant: string) => showInstant(instant, { viewerZone, eventZone: run.timeZone, precision: 'seconds' })
  const above = [...head(run, { at, now }), [], ...phase(run, { at }), ...cues(run), []]
  if (remark !== null) above.unshift([{ text: remark, style: 'yellow' }])
  const left = room === undefined ? log.length : Math.max(room.rows - above.length, 1)
  const below = log.slice(-left).map(({ at: instant, text }) => [
    {
      text: showInstant(instant, { viewerZone, eventZone: viewerZone, precision: 'seconds' }).slice(11),
      style: 'dim' as const,
    },
    { text },
  ])
  const lines = [...above, ...below]
  return (room === undefined ? lines : lines.slice(0, room.rows)).map((line) => draw(line, paint, room?.columns))
}

type Clocks = { at(instant: string): string; now: number }

function head(run: RunView, { at, now }: Clocks): Line[] {
  const { definition, status, health, rehearsal, scope, waitingOn, version, startedAt, scheduledFor } = run
  const started = startedAt === null ? `starts ${at(scheduledFor)}` : `started ${at(startedAt)}`
  const why = waitingOn?.description ?? run.endedBecause ?? run.lastError
  const left = waitingOn?.until ? ` (${secondsUntil(waitingOn.until, now)} s)` : ''
  return [
    [
      { text: definition.title, style: 'bold' },
      { text: status, style: styleOfStatus(status) },
      { text: health, style: styleOfStatus(health) },
      ...(rehearsal ? [{ text: 'REHEARSAL', style: 'yellow' as const }] : []),
      ...(scope === '' ? [] : [{ text: `in ${scope}` }]),
    ],
    [{ text: `${run.id}  version ${version.version}  ${started}`, style: 'dim' }],
    ...(why === null ? [] : [[{ text: `${why}${left}` }]]),
  ]
}

function phase(run: RunView, { at }: Pick<Clocks, 'at'>): Line[] {
  const { phases } = run.version.spec
  const index = phases.findIndex(({ key }) => key === run.currentPhase)
  const current = phases[index]
  if (current === undefined) return [[{ text: `${phases.length} phases, none begun` }]]
  const steps = run.steps.filter((step) => step.phase === current.key)
  const gate = run.gates.find((it) => it.phase === current.key)
  const opened = gate?.openedAt == null ? '' : ` Opened ${at(gate.openedAt)}.`
  return [
    [{ text: `Phase ${index + 1} of ${phases.length}: ${current.label}`, style: 'bold' }],
    ...steps.map((step): Line => {
      const said = [
        step.attempts > 1 ? `attempt ${step.attempts}` : null,
        step.status === 'PENDING' && step.dueAt !== null ? `not before ${at(step.dueAt)}` : null,
        step.parked ? 'waits for a person' : null,
        step.lastError,
      ].filter((it) => it !== null)
      return [
        { text: ` ${step.status.padEnd(9)}`, style: styleOfStatus(step.status) },
        { text: step.label ?? step.actionId },
        { text: said.join('; '), style: 'dim' },
      ]
    }),
    ...(gate === undefined ? [] : [[{ text: ` Gate: ${gate.description}${opened}` }]]),
  ]
}

function cues(run: RunView): Line[] {
  return run.cues.map(({ id, instruction, claimedBy }) => [
    { text: ` ${id}`, style: 'yellow' },
    { text: instruction },
    ...(claimedBy === null ? [] : [{ text: `(${claimedBy.name} has it)`, style: 'dim' as const }]),
  ])
}

function secondsUntil(instant: string, now: number): number {
  return Math.max(Math.ceil((Date.parse(instant) - now) / 1000), 0)
}

/** The parts side by side, as far as there is room for them. */
function draw(line: Line, paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  let left = columns
  const drawn: string[] = []
  for (const { text, style } of line.filter((part) => part.text !== '')) {
    const gap = drawn.length === 0 ? 0 : 2
    if (left <= gap) break
    const plain = printable(text)
    const shown = plain.length <= left - gap ? plain : `${plain.slice(0, left - gap - 1)}…`
    drawn.push(style === undefined ? shown : paint(style, shown))
    left -= gap + shown.length
  }
  return drawn.join('  ')
}
