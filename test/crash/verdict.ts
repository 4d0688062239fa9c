import { isTerminal, mayBecome, NEXT_STATUSES, type RunStatus } from '../../src/domain/run.ts'
import { isStepTerminal, NEXT_STEP_STATUSES, type StepStatus } from '../../src/domain/step.ts'
import type { Order, Start } from './crew.ts'
import type { Evidence, LineRow, RunRow, StepRow, Witnessed } from './witness.ts'
import type { Call } from './world.ts'

/** Everything in the evidence that must not be, as sentences; an empty list is an acquittal. */
export function verdict(
  { runs, steps, lines, witnessed }: Evidence,
  { calls, starts, orders, maxAttempts }: { calls: Call[]; starts: Start[]; orders: Order[]; maxAttempts: number },
): string[] {
  const linesOf = groupBy(lines, (line) => line.runId)
  const stepsOf = groupBy(steps, (step) => step.runId)
  const callsOf = groupBy(calls, (call) => call.stepId)
  return [
    ...runs.flatMap((run) => judgeRun(run, linesOf.get(run.id) ?? [], stepsOf.get(run.id) ?? [])),
    ...steps.flatMap((step) => {
      const ofStep = (linesOf.get(step.runId) ?? []).filter((line) => line.stepId === step.id && !isOfResource(line))
      return judgeStep(step, ofStep, { calls: callsOf.get(step.id) ?? [], maxAttempts })
    }),
    ...calls.flatMap(judgeCall),
    ...judgeWitnessed(witnessed, new Map(runs.map((run) => [run.id, run]))),
    ...judgeStarts(starts, runs),
    ...judgeOrders(orders, lines),
  ]
}

const isOfResource = ({ detail }: LineRow) => detail.resourceId !== undefined

function judgeRun(run: RunRow, lines: LineRow[], steps: StepRow[]): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`run ${run.id}: ${what}`)
  if (!isTerminal(run.status as RunStatus)) say(`never ended, it is ${run.status}`)
  if (run.claimed) say('is over and still claimed')
  if (lines.some(({ line }, index) => line !== index + 1) || run.lastLine !== lines.length)
    say(`its lines are not 1 to ${run.lastLine}: ${lines.map(({ line }) => line)}`)
  if (lines[0]?.kind !== 'run.created') say('its log does not begin with its creation')
  let status: RunStatus = 'SCHEDULED'
  for (const { kind, detail, line } of lines) {
    if ((kind !== 'run.status' && kind !== 'run.control') || detail.control === 'RETRY_CLEANUP') continue
    const { from, to } = detail as { from: RunStatus; to: RunStatus }
    if (from !== status) say(`line ${line} goes from ${from}, and it was ${status}`)
    if (!mayBecome(from, to)) say(`line ${line} goes from ${from} to ${to}`)
    status = to
  }
  if (status !== run.status) say(`its log ends with ${status}, its row says ${run.status}`)
  for (const step of steps) if (!isStepTerminal(step.status as StepStatus)) say(`left step ${step.id} ${step.status}`)
  const placeOf = new Map(steps.map(({ id, place }) => [id, place]))
  let place = 0
  for (const { kind, stepId, line } of lines.filter((each) => !isOfResource(each))) {
    if (stepId === null || kind === 'step.late' || kind === 'step.message') continue
    const next = placeOf.get(stepId) ?? -1
    if (next < place) say(`line ${line} is about step ${next} after one about step ${place}`)
    place = next
  }
  if (run.status === 'COMPLETED' && steps.some((step) => step.status === 'CANCELLED'))
    say('completed, with cancelled steps')
  return wrong
}

/** Lines that end a claim. What follows from a claim being taken back, in the same attempt, ends none of its own. */
function endsOfClaims(lines: LineRow[]): number {
  return lines.filter(({ kind, detail }, index) => {
    if (kind === 'step.retry' || kind === 'step.parked' || kind === 'step.reclaimed') return true
    const before = lines[index - 1]
    const follows = before?.kind === 'step.reclaimed' && before.detail.attempts === detail.attempts
    return kind === 'step.status' && !follows
  }).length
}

function judgeStep(
  step: StepRow,
  lines: LineRow[],
  { calls, maxAttempts }: { calls: Call[]; maxAttempts: number },
): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`step ${step.id} (${step.actionId}, ${step.status}): ${what}`)
  if (calls.length > step.claimNo) say(`was called ${calls.length} times under ${step.claimNo} claims`)
  const lastRetry = lines.findLastIndex(({ detail }) => detail.control === 'RETRY')
  const ends = endsOfClaims(lines)
  if (ends !== step.claimNo) say(`was claimed ${step.claimNo} times, and its log tells of ${ends}`)
  const since = endsOfClaims(lines.slice(lastRetry + 1))
  if (since !== step.attempts) say(`counts ${step.attempts} attempts, and its log tells of ${since}`)
  if (step.attempts > maxAttempts) say(`was attempted ${step.attempts} times, and ${maxAttempts} are allowed`)
  const done = lines.filter(({ kind, detail }) => kind === 'step.status' && detail.to === 'DONE')
  if (done.length > 1) say(`was done ${done.length} times`)
  if (step.actionId.startsWith('world.') && step.status === 'DONE') {
    const [line] = done
    const { call: number } = (line?.detail.output ?? {}) as { call?: number }
    const call = calls.find((candidate) => candidate.number === number)
    if (call?.answered !== true) say(`is done by a call that was never answered: ${JSON.stringify(line?.detail)}`)
  }
  return wrong
}

function judgeCall(call: Call): string[] {
  const wrong: string[] = []
  if (call.claimNo < call.ofStep)
    wrong.push(`call ${call.number} of step ${call.stepId} is its ${call.ofStep}th, under ${call.claimNo} claims`)
  if (call.openBefore > 0)
    wrong.push(`call ${call.number} of step ${call.stepId} came while ${call.openBefore} steps before it were open`)
  if (!call.keyFits) wrong.push(`call ${call.number} of step ${call.stepId} has another idempotency key`)
  return wrong
}

const HOLDING = new Set(['STARTING', 'RUNNING', 'PAUSED', 'ENDING'])

/** What the database saw, change by change. */
function judgeWitnessed(witnessed: Witnessed[], runs: Map<string, RunRow>): string[] {
  const wrong: string[] = []
  const holders = new Map<string, string>()
  for (const change of witnessed) {
    const say = (what: string) => wrong.push(`change ${change.n} of run ${change.runId}: ${what}`)
    if (change.stepId === null) judgeRunChange(change, { holders, key: runs.get(change.runId)?.concurrencyKey, say })
    else judgeStepChange(change, say)
  }
  return wrong
}

function judgeRunChange(
  { runId, was, becomes }: Witnessed,
  { holders, key, say }: { holders: Map<string, string>; key: string | null | undefined; say: (what: string) => void },
): void {
  if (!reachable(was as RunStatus).has(becomes as RunStatus)) say(`from ${was} to ${becomes}`)
  if (key == null) return
  if (HOLDING.has(becomes)) {
    const holder = holders.get(key) ?? runId
    if (holder !== runId) say(`takes ${key}, which ${holder} holds`)
    holders.set(key, runId)
  } else if (holders.get(key) === runId) holders.delete(key)
}

/** One statement may take a run through several statuses. */
function reachable(from: RunStatus, seen = new Set<RunStatus>()): Set<RunStatus> {
  for (const next of NEXT_STATUSES[from]) if (!seen.has(next)) reachable(next, seen.add(next))
  return seen
}

function judgeStepChange(change: Witnessed, say: (what: string) => void): void {
  const { stepId, was, becomes, attemptsWere, attempts, claimWas, claim, runStatus } = change
  const what = `step ${stepId} from ${was} to ${becomes}`
  const claimed = claim === claimWas + 1
  if (was !== null && was !== becomes && !reachableStep(was as StepStatus).includes(becomes)) say(what)
  if (claim !== claimWas && !claimed) say(`${what}: claim ${claimWas} became ${claim}`)
  const retriedByPerson = (was === 'FAILED' || was === 'REFUSED') && becomes === 'PENDING'
  if (attempts !== (retriedByPerson ? 0 : claimed ? attemptsWere + 1 : attemptsWere))
    say(`${what}: ${attemptsWere} attempts became ${attempts}`)
  if (claimed && runStatus !== 'RUNNING') say(`${what}: claimed while its run was ${runStatus}`)
  if (becomes === 'RUNNING' && was !== 'RUNNING' && !claimed) say(`${what} without a claim`)
}

const reachableStep = (from: StepStatus): readonly string[] => NEXT_STEP_STATUSES[from]

function judgeStarts(starts: Start[], runs: RunRow[]): string[] {
  const wrong: string[] = []
  if (runs.length > starts.length) wrong.push(`${starts.length} starts made ${runs.length} runs`)
  for (const start of starts) {
    const told = JSON.stringify(start)
    if (start.runId === null) wrong.push(`a start was never acknowledged: ${told}`)
    else if (!runs.some((run) => run.id === start.runId)) wrong.push(`an acknowledged run is missing: ${told}`)
    const ofRequest = runs.filter((run) => run.definitionId === start.definitionId && run.requestId === start.requestId)
    if (start.requestId !== null && ofRequest.length !== 1)
      wrong.push(`${ofRequest.length} runs of one request: ${told}`)
  }
  return wrong
}

function judgeOrders(orders: Order[], lines: LineRow[]): string[] {
  const told = groupBy(
    lines.filter(({ kind }) => kind === 'run.control' || kind === 'step.control'),
    ({ detail }) => String(detail.reason ?? detail.note),
  )
  return orders.flatMap((order) => {
    const found = told.get(order.reason) ?? []
    if (found.length > 1 || (order.acknowledged && found.length === 0))
      return [`an order is in the log ${found.length} times: ${JSON.stringify(order)}`]
    const [line] = found
    return line !== undefined && (line.runId !== order.runId || line.detail.control !== order.control)
      ? [`an order is in the log as another: ${JSON.stringify({ order, line })}`]
      : []
  })
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}
