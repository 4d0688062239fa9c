import { Counter, Histogram, type Registry } from 'prom-client'
import type { Meter } from '../runner/meter.ts'

const LATENESS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 900]
const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** A meter that counts into metrics of the registry. */
export function countingMeter(registry: Registry): Meter {
  const registers = [registry]
  /** Every value of the label is there from the start, at 0: a rate needs a value to begin from. */
  const counter = <T extends string>(name: string, { help, label, all }: { help: string; label: string; all: T[] }) => {
    const counted = new Counter({ name, help, labelNames: [label], registers })
    for (const value of all) counted.inc({ [label]: value }, 0)
    return (value: T) => counted.inc({ [label]: value })
  }
  const takeovers = new Counter({
    name: 'cuelight_lease_takeovers_total',
    help: 'Runs that this process took over from one that let its lease run out.',
    registers,
  })
  const dutyFailures = new Counter({
    name: 'cuelight_duty_failures_total',
    help: 'Failures of a duty of the runner in this process, by duty; each is tried again, and the log says why.',
    labelNames: ['duty'],
    registers,
  })
  const lateness = new Histogram({
    name: 'cuelight_start_lateness_seconds',
    help: 'Seconds from the instant of a start to when this process had stored it; what waited for its concurrency key counts from its instant too.',
    buckets: LATENESS_BUCKETS,
    registers,
  })
  const durations = new Histogram({
    name: 'cuelight_dispatch_duration_seconds',
    help: 'Seconds that an action called by this process took to answer, or until its budget was over, by action.',
    labelNames: ['action'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  return {
    stepSettled: counter('cuelight_steps_total', {
      help: 'Steps by what this process brought them to: DONE, PARKED (waits for a person), RETRIED (is called again), FAILED, REFUSED (not called), CANCELLED (the run was over), LATE (the claim was gone, nothing changed).',
      label: 'outcome',
      all: ['DONE', 'PARKED', 'RETRIED', 'FAILED', 'REFUSED', 'CANCELLED', 'LATE'],
    }),
    stepRefused: counter('cuelight_steps_refused_total', {
      help: 'Steps that this process refused to call, by why.',
      label: 'code',
      all: ['ACTION_DISABLED', 'ACTION_UNREGISTERED', 'CAP_EXCEEDED'],
    }),
    runEnded: counter('cuelight_runs_ended_total', {
      help: 'Runs that the runner of this process ended, by status. What a person cancels is not among them, and what is MISSED has a counter of its own.',
      label: 'status',
      all: ['COMPLETED', 'FAILED'],
    }),
    runMissed: counter('cuelight_missed_runs_total', {
      help: 'Runs that the runner of this process found not to have started in time, by why.',
      label: 'reason',
      all: ['NOT_RUNNING', 'KEY_HELD', 'SCHEDULE_PAUSED'],
    }),
    runStarted: (lateMs) => lateness.observe(Math.max(lateMs, 0) / 1000),
    actionCalled: (action, ms) => durations.observe({ action }, ms / 1000),
    claimsTakenOver: (count) => takeovers.inc(count),
    dutyFailed: (duty) => dutyFailures.inc({ duty }),
  }
}
