import { failRun } from '../domain/disposition.ts'
import { type Draft, draftOf, type Instant, type Picture, type Step, written as writtenAs } from '../domain/picture.ts'
import { progress } from '../domain/progress.ts'
import { isTerminal } from '../domain/run.ts'
import { type CallFacts, takeBack } from '../domain/settle.ts'
import type { VersionSpec } from '../domain/spec.ts'
import { start } from '../domain/start.ts'
import type { Claimed, ClaimRef, Lapsed } from '../store/claims.ts'
import { isRefusedByDatabase } from '../store/faults.ts'
import { mintStep } from '../store/ids.ts'
import { participantCounts } from '../store/participants.ts'
import { startIfWaiting } from '../store/starts.ts'
import type { Written } from '../store/transitions.ts'
import { renewBudget } from './budget.ts'
import { call, notCalled } from './dispatch.ts'
import { Messages } from './messages.ts'
import { patiently, pauseFor } from './patience.ts'
import { isSwitchedOff, permit } from './permission.ts'
import { type Change, logLate, noteSettled, nothing, refusal, retryRule, settlement } from './settlement.ts'
import type { WorkContext } from './work-context.ts'

/** Works a run that was just claimed until it waits or its turn is over. Never rejects. */
export function workClaimed(context: WorkContext, owner: string, { runId, line, started }: Claimed): Promise<void> {
  if (started) context.changes.publish({ runId, line, cues: false })
  return takenUp(context, { runId, owner }, (claim, picture) => {
    if (started) noteStart(context, picture)
    return drive(context, claim, { picture, first: nothing, hasTurn: true })
  })
}

/** A run that waits for its start, as it was some time before, and the spec of its version. */
export type Prepared = { picture: Picture; spec: VersionSpec | null }

/**
 * Starts runs that are due, in one commit from their instant to the call of their first actions, tells `track` of the
 * work on each, which never rejects, and answers how many it may have started. A run that somebody changed since, or that has no
 * action to call at once, is left as it is for `claimDue`.
 */
export async function startPrepared(
  context: WorkContext,
  prepared: readonly Prepared[],
  { owner, track }: { owner: string; track: (work: Promise<void>) => void },
): Promise<number> {
  const now = context.clock.now()
  const started = await Promise.all(
    prepared.map(async (run) => {
      const first = firstCallOf(context, run, now)
      if (first === null) return false
      const { picture } = run
      const work = await startOne(context, { runId: picture.facts.runId, owner }, { picture, ...first })
      if (work === null) return false
      track(work.over)
      return true
    }),
  )
  return started.filter(Boolean).length
}

/**
 * Does all that a start takes before the run's instant, when its statement changes nothing: what was not done for long
 * takes this process and PostgreSQL half as long again.
 */
export async function rehearseStart(context: WorkContext, run: Prepared): Promise<void> {
  const { clock, db, leases } = context
  const now = clock.now()
  const { wakeAt } = run.picture.run
  if (wakeAt === null || now >= wakeAt) return
  const first = firstCallOf(context, run, now)
  if (first === null) return
  const leaseUntil = leases.next(leaseLimit(context, first.step))
  await startIfWaiting(db.hot, [{ draft: first.draft, owner: 'nobody', leaseUntil }], now)
}

/** A run as it is once it has started, and the step that it calls first; null: it calls none at once. */
function firstCallOf(
  context: WorkContext,
  { picture, spec }: Prepared,
  now: Instant,
): { draft: Draft; step: Step } | null {
  const draft = draftOf(picture)
  start(draft, now)
  const step = advance(context, draft, spec, true)
  return step === null ? null : { draft, step }
}

/** Answers the work on a run that it started, within an object, as a promise would be waited for; null: it did not. */
async function startOne(
  context: WorkContext,
  claim: ClaimRef,
  { picture, draft, step }: { picture: Picture; draft: Draft; step: Step },
): Promise<{ over: Promise<void> } | null> {
  const { leases, load, starts } = context
  load.take()
  let done: Written
  try {
    const leaseUntil = leases.next(leaseLimit(context, step))
    done = await starts.add({ draft, owner: claim.owner, leaseUntil })
  } catch (error) {
    load.release()
    if (isRefusedByDatabase(error)) return null
    // It may have been written: where it is claimed it is gone on with, where not it is left.
    return { over: workClaimed(context, claim.owner, { runId: claim.runId, line: 0, started: false }) }
  }
  if (done === null) {
    load.release()
    return null
  }
  leases.hold(claim, leaseLimit(context, step))
  const { fence, line, switchedOff } = done
  const over = guarded(context, claim, async () => {
    noteStart(context, picture)
    announce(context, draft, { line, from: picture })
    await goOn(context, claim, { picture: writtenAs(draft, fence), step, switchedOff })
  })
  return { over }
}

/** Settles what a dead process left of a run, and goes on with it. Never rejects. */
export function workLapsed(context: WorkContext, owner: string, { runId, previousOwner }: Lapsed): Promise<void> {
  const { clock } = context
  const retry = retryRule(context)
  return takenUp(context, { runId, owner }, (claim, picture) => {
    const left = picture.steps.find((step) => step.id === picture.run.inFlight)
    const first: Change = {
      settles: null,
      ends: left ?? null,
      apply(draft) {
        const step = draft.steps.find((candidate) => candidate.id === left?.id)
        if (step !== undefined) takeBack(draft, step, { now: clock.now(), retry, previousOwner })
        return true
      },
    }
    // A lapsed run is taken over although there may be no room for its call: it is settled then, and due at once.
    return drive(context, claim, { picture, first, hasTurn: context.load.mayCall })
  })
}

/** Works a run on what it is like after its claim. */
function takenUp(
  context: WorkContext,
  claim: ClaimRef,
  work: (claim: ClaimRef, picture: Picture) => Promise<void>,
): Promise<void> {
  context.leases.hold(claim)
  context.load.take()
  return guarded(context, claim, async () => {
    const picture = await reread(context, claim)
    if (picture !== null) await work(claim, picture)
  })
}

/** Works a run that was taken in hand, and lets go of it. */
async function guarded(context: WorkContext, claim: ClaimRef, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    // The claim is left to lapse: the next holder goes on from what the database says.
    const { runId } = claim
    context.log.error({ err: error, runId }, 'a run could not be worked on; it is taken up again when its lease ends')
  } finally {
    context.leases.drop(claim)
    context.load.release()
  }
}

async function drive(
  context: WorkContext,
  claim: ClaimRef,
  { picture, first, hasTurn }: { picture: Picture; first: Change; hasTurn: boolean },
): Promise<void> {
  const moved = await move(context, claim, { from: picture, asked: first, hasTurn })
  if (moved !== null) await goOn(context, claim, moved)
}

/** Calls the step that was claimed, and those behind it. */
async function goOn(context: WorkContext, claim: ClaimRef, from: Moved): Promise<void> {
  let moved: Moved | null = from
  for (let dispatched = 1; moved !== null && moved.step !== null; dispatched += 1) {
    const hasTurn: boolean = dispatched < context.settings.stepsPerPass
    moved = await callAndMove(context, claim, { ...moved, step: moved.step, hasTurn })
  }
}

async function callAndMove(
  context: WorkContext,
  claim: ClaimRef,
  { picture, step, switchedOff, hasTurn }: Moved & { step: Step; hasTurn: boolean },
): Promise<Moved | null> {
  const { load, db, changes } = context
  const messages = new Messages({ db: db.hot, changes, runId: claim.runId, log: context.log })
  const permission = await permit(context, picture, { claim, step, switchedOff })
  if (permission.kind === 'LOST') return null
  const called =
    permission.kind === 'DENIED'
      ? notCalled(step, permission.outcome)
      : await load.dispatch(step, () => call(context, picture, step, { ...permission, messages }))
  const { outcome, facts } = called
  const publishes = called.publishesResults ? await participantsOf(context, claim.runId) : {}
  const asked = settlement(context, { step, outcome, lines: await messages.take() }, { ...facts, ...publishes })
  const unresolved = permission.kind === 'GRANTED' ? permission.unresolved : null
  const from = unresolved === null ? picture : { ...picture, ledger: { ...picture.ledger, unresolved } }
  return move(context, claim, { from, asked, hasTurn })
}

/** Who takes part so far. Nobody else adds to them: that is only done under the run's claim. */
async function participantsOf(context: WorkContext, runId: string): Promise<Pick<CallFacts, 'publishes'>> {
  const counts = await patiently(context, runId, () => participantCounts(context.db, [runId]))
  return { publishes: { participants: counts.get(runId) ?? 0 } }
}

/** `switchedOff`: an admin switched the action of the step off. */
type Moved = { picture: Picture; step: Step | null; switchedOff: boolean }

/**
 * Applies a change to a run, moves it on as far as it goes, and writes all that in one transition, as often as somebody
 * changes the run in between. Answers the step claimed for dispatch; null: the claim is not in force any more.
 */
async function move(
  context: WorkContext,
  claim: ClaimRef,
  { from, asked, hasTurn }: { from: Picture; asked: Change; hasTurn: boolean },
): Promise<Moved | null> {
  const { runId } = claim
  const spec = await patiently(context, runId, () => context.versions.spec(from.facts.versionId))
  if (from.run.status === 'STARTING' && spec !== null) await renewBudget(context, claim, spec)
  let change = asked
  let picture: Picture | null = from
  let uncertain = false
  while (picture !== null) {
    const lost = lostDispatch(picture, asked)
    if (lost !== null) {
      context.leases.hold(claim, leaseLimit(context, lost))
      context.changes.publish({ runId, line: 0, cues: true })
      return { picture, step: lost, switchedOff: await isSwitchedOff(context, runId, lost) }
    }
    const draft = draftOf(picture)
    if (!change.apply(draft)) break
    const step = advance(context, draft, spec, hasTurn && change === asked)
    try {
      const leaseUntil = step === null ? null : context.leases.next(leaseLimit(context, step))
      const done = await context.transitions.writeIfUnchanged({ draft, owner: claim.owner, leaseUntil })
      if (done !== null) {
        if (step !== null) context.leases.hold(claim, leaseLimit(context, step))
        if (change.settles !== null) noteSettled(context, change.settles, draft)
        announce(context, draft, { line: done.line, from: picture })
        return { picture: writtenAs(draft, done.fence), step, switchedOff: done.switchedOff }
      }
    } catch (error) {
      if (isRefusedByDatabase(error)) {
        if (change !== asked) throw error
        change = refusal(context, asked, error)
        continue
      }
      uncertain = true
      await pauseFor(context, error, runId)
    }
    picture = await reread(context, claim)
  }
  if (change.settles !== null && !uncertain) await logLate(context, runId, change.settles)
  return null
}

/** A run started; its instant is what it was woken for. */
function noteStart({ clock, meter }: WorkContext, { run }: Picture): void {
  if (run.wakeAt !== null) meter.runStarted(clock.now() - run.wakeAt)
}

/**
 * The step that an earlier write of this claim put in flight although its answer was lost on the way: nobody but the
 * holder dispatches under a claim, so that it can only be ours, and it was not called yet.
 */
function lostDispatch({ run, steps }: Picture, asked: Change): Step | null {
  const step = steps.find((candidate) => candidate.id === run.inFlight)
  if (step === undefined || (step.id === asked.ends?.id && step.claimNo === asked.ends.claimNo)) return null
  return step
}

function advance(
  context: WorkContext,
  draft: Draft,
  spec: Awaited<ReturnType<WorkContext['versions']['spec']>>,
  hasTurn: boolean,
): Step | null {
  const now = context.clock.now()
  const { stallMs } = context.settings
  try {
    return progress(draft, { spec, now, mint: mintStep, mayDispatch: hasTurn && context.mayDispatch(), stallMs })
  } catch (error) {
    failRun(draft, now, `The run cannot go on: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

/** A step's lease is never renewed beyond its action's budget and a margin. */
function leaseLimit({ registry, clock, settings }: WorkContext, step: Step): Instant {
  const budgetMs = registry.action(step.actionId)?.budgetMs ?? 0
  return clock.now() + budgetMs + settings.stepLeaseMarginMs
}

/** Tells the readers and the runner what a transition brought. */
function announce(context: WorkContext, draft: Draft, { line, from }: { line: number; from: Picture }): void {
  const { run, facts } = draft
  if (isTerminal(run.status) && !isTerminal(from.run.status)) context.meter.runEnded(run.status)
  const cues =
    from.steps.some((step) => step.parked && draft.touched.has(step.id)) ||
    [...draft.touched.values()].some(({ parked }) => parked)
  context.changes.publish({ runId: facts.runId, line, cues })
  if (run.inFlight === null && run.wakeAt !== null) context.wakeAt(run.wakeAt)
  if (draft.ledgerAt !== null) context.wakeAt(draft.ledgerAt)
  // A key that was let go of lets the next run start.
  if (isTerminal(run.status) && facts.concurrencyKey !== null) context.wakeAt(context.clock.now())
}

/** The run as it is now; null where the claim is not in force any more. */
function reread(context: WorkContext, claim: ClaimRef): Promise<Picture | null> {
  return patiently(context, claim.runId, () => context.pictures.add(claim))
}
