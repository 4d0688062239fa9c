import type { Evidence, LineRow, ResourceRow, RunRow, WitnessedResource } from './witness.ts'
import type { Revert } from './world.ts'

/** Everything about what was made and taken back that must not be, as sentences. */
export function ledgerVerdict(
  { runs, resources, lines, witnessedLedger }: Evidence,
  { reverts, standing, maxAttempts }: { reverts: Revert[]; standing: Map<string, Set<string>>; maxAttempts: number },
): string[] {
  const left = [...standing].flatMap(([stepId, refs]) =>
    [...refs].map((ref) => `step ${stepId} left ${ref} in the world`),
  )
  return [
    ...left,
    ...runs.flatMap((run) => judgeCleanup(run, lines)),
    ...resources.flatMap((resource) => judgeResource(resource, { lines, reverts, maxAttempts })),
    ...reverts.flatMap(judgeRevert),
    ...witnessedLedger.flatMap(judgeChange),
  ]
}

function judgeCleanup(run: RunRow, lines: LineRow[]): string[] {
  const wrong: string[] = []
  let status = 'NOT_REQUIRED'
  for (const { kind, detail, line, runId } of lines) {
    if (runId !== run.id || kind !== 'cleanup.status') continue
    if (detail.from !== status) wrong.push(`run ${run.id}: line ${line} goes from ${detail.from}, and it was ${status}`)
    if (detail.to === 'CLEAN' && detail.unresolved !== 0)
      wrong.push(`run ${run.id}: line ${line} is CLEAN with something left`)
    status = String(detail.to)
  }
  if (status !== run.cleanupStatus)
    wrong.push(`run ${run.id}: its log ends with ${status}, its row says ${run.cleanupStatus}`)
  if (status !== 'NOT_REQUIRED' && status !== 'CLEAN') wrong.push(`run ${run.id}: its cleanup is ${status} in the end`)
  return wrong
}

function judgeResource(
  { id, placeholder, status, attempts, claimNo }: ResourceRow,
  { lines, reverts, maxAttempts }: { lines: LineRow[]; reverts: Revert[]; maxAttempts: number },
): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`resource ${id} (${status}): ${what}`)
  const told = (kind: string) =>
    lines.filter((line) => line.kind === kind && line.detail.resourceId === `res_${id}`).length
  if (status !== 'REVERTED') say('was never taken back')
  if (told('resource.reverted') !== 1) say(`its log says ${told('resource.reverted')} times that it was taken back`)
  if (told('resource.created') !== (placeholder ? 0 : 1))
    say(`its log says ${told('resource.created')} times that it was made`)
  if (attempts > maxAttempts) say(`was attempted ${attempts} times`)
  const calls = reverts.filter(({ resourceId }) => resourceId === id).length
  if (calls > claimNo) say(`was called for ${calls} times under ${claimNo} claims`)
  return wrong
}

function judgeRevert({ resourceId, ofResource, claimNo, status, isTime }: Revert): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`the ${ofResource}th revert of ${resourceId} ${what}`)
  // Its sender may have been killed, and its claim taken back, before the call was looked up.
  if (status !== 'REVERTING' && status !== 'ACTIVE') say(`came while it was ${status}`)
  if (claimNo < ofResource) say(`came under ${claimNo} claims`)
  if (!isTime) say('came before its time')
  return wrong
}

const NEXT: Record<string, readonly (string | null)[]> = {
  // A placeholder gives way to what its step is known to have made.
  ACTIVE: ['ACTIVE', 'REVERTING', null],
  // A dead process's is taken back and claimed anew at once.
  REVERTING: ['ACTIVE', 'REVERTING', 'REVERTED', 'FAILED'],
  FAILED: ['ACTIVE'],
  REVERTED: [],
}

function judgeChange({ n, resourceId, placeholder, was, becomes, claimWas, claim }: WitnessedResource): string[] {
  const wrong: string[] = []
  const say = (what: string) => wrong.push(`change ${n} of resource ${resourceId}: ${what}`)
  if (!NEXT[was]?.includes(becomes)) say(`from ${was} to ${becomes}`)
  if (becomes === null && !placeholder) say('it was deleted')
  const claimed = becomes === 'REVERTING' ? claimWas + 1 : claimWas
  if (becomes !== null && claim !== claimed) say(`claim ${claimWas} became ${claim}`)
  return wrong
}
