/** Whether this process can do its work; `reasons` says why not, `warnings` what else an operator should know. */
export type Readiness = { ready: boolean; reasons: string[]; warnings: string[] }

/**
 * One thing that has to hold: null, or the sentence that says what does not and what to do. Where the check that it
 * `needs` does not hold either, it is that one's consequence, and no reason of its own.
 */
export type Check = { name: string; run(): Promise<string | null> | string | null; needs?: string }

/** Runs all checks side by side. One that throws, or does not answer within `timeoutMs`, is a reason not to be ready. */
export async function readiness(
  checks: readonly Check[],
  { warnings = [], timeoutMs = 2000 }: { warnings?: readonly string[]; timeoutMs?: number } = {},
): Promise<Readiness> {
  const answers = await Promise.all(checks.map((check) => answerOf(check, timeoutMs)))
  const failed = new Set(checks.filter((_, index) => answers[index] !== null).map(({ name }) => name))
  const isConsequence = ({ needs }: Check) => needs !== undefined && failed.has(needs)
  const reasons = checks.flatMap((check, index) => (isConsequence(check) ? [] : (answers[index] ?? [])))
  return { ready: reasons.length === 0, reasons, warnings: [...warnings] }
}

async function answerOf(check: Check, timeoutMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${check.name}: no answer within ${timeoutMs} ms.`), timeoutMs)
  })
  try {
    return await Promise.race([Promise.resolve().then(() => check.run()), late])
  } catch {
    // What was thrown may name hosts and accounts, and anyone may read this; the log has it from who threw it.
    return `${check.name}: the check failed; see the server's log.`
  } finally {
    clearTimeout(timer)
  }
}
