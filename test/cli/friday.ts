import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An event as a file. */
export const FRIDAY = `# The quiz of every friday.
slug: friday
title: Friday quiz
timeZone: Europe/Berlin
parameters:
  - name: host # who speaks
    default: Mira
spec:
  schedule:
    recurring: { start: 2099-03-06T20:00, rule: "FREQ=WEEKLY;BYDAY=FR" }
  phases:
    - key: doors
      steps:
        # Loud and clear.
        - actionId: core.log
          params: { message: "{host} opens." }
        - actionId: core.cue
          params: { instruction: Welcome }
      advance: { after: 10s }
`

/** A folder with these files, and their paths. */
export function filesOf(contents: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'cuelight-apply-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text)
  return {
    folder,
    at: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
  }
}
