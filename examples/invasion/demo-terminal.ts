import { styleText } from 'node:util'

type LogLine = { at: string; kind: string; text: string }
type Result = { rank: number | null; memberKey: string; score: number | null }
type Style = Parameters<typeof styleText>[0]

const colours = process.stdout.isTTY === true && process.stdout.hasColors()
const paint = (style: Style, text: string): string => (colours ? styleText(style, text) : text)
const line = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Wide enough for the longest kind of log line. */
const KIND_WIDTH = 19

function styleOf(kind: string): Style {
  if (kind.startsWith('run.')) return 'cyan'
  if (kind.startsWith('phase.')) return 'magenta'
  if (kind === 'step.parked' || kind === 'step.control') return 'yellow'
  return 'blue'
}

/** What the demo shows. */
export const say = {
  line,
  title: (text: string): void => line(`\n${paint('bold', text)}\n`),
  step: (text: string): void => line(`${paint('green', '✓')} ${text}`),
  logLine({ at, kind, text }: LogLine): void {
    line(`  ${paint('dim', at.slice(11, 23))}  ${paint(styleOf(kind), kind.padEnd(KIND_WIDTH))} ${text}`)
  },
  /** What the example's world prints, "[shard] …", below the time and the kind of the log's lines. */
  world(text: string): void {
    const [, name = 'world', said = text] = /^\[([a-z-]+)\] (.*)$/.exec(text) ?? []
    line(`  ${' '.repeat(12)}  ${paint('dim', `${name.padEnd(KIND_WIDTH)} ${said}`)}`)
  },
  /** The results as a table: rank, who, score. */
  results(results: readonly Result[]): void {
    const width = Math.max(...results.map(({ memberKey }) => memberKey.length), 0)
    for (const { rank, memberKey, score } of results)
      line(`  ${String(rank ?? '–').padStart(4)}  ${memberKey.padEnd(width)}  ${String(score ?? '–').padStart(5)}`)
  },
  cue: (instruction: string): void => line(`\n  ${paint(['bold', 'yellow'], `☞ Cue for the GM: ${instruction}`)}\n`),
  success: (text: string): void => line(`${paint(['bold', 'green'], '✓')} ${paint('bold', text)}`),
  failure: (text: string): void => line(`${paint(['bold', 'red'], '✗')} ${text}`),
}
