import type { Meter } from '../../src/runner/meter.ts'

/** A meter that writes down what it is told, in order; how long actions took is left out, it differs. */
export function recordingMeter(): { meter: Meter; facts: string[] } {
  const facts: string[] = []
  const note = (what: string) => (value: string | number) => void facts.push(`${what} ${value}`)
  return {
    facts,
    meter: {
      runStarted: note('started late by'),
      runEnded: note('ended'),
      runMissed: note('missed'),
      stepSettled: note('step'),
      stepRefused: note('refused'),
      actionCalled: note('called'),
      claimsTakenOver: (count) => (count === 0 ? undefined : note('taken over')(count)),
      dutyFailed: note('failed'),
    },
  }
}
