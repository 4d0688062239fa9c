import { Command } from 'commander'
import { type ClientConfig, readClientConfig } from './config.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { type Paint, paintFor } from './paint.ts'
import { printable } from './printable.ts'

/** The options that every command has that talks to a server. */
export type ClientOptions = { url?: string; token?: string; json?: boolean }

/** What a command that talks to a server works with. */
export type Session = {
  config: ClientConfig
  json: boolean
  paint: Paint
  /** The zone of whoever reads the output. */
  viewerZone: string
  /** Writes a value: one line of JSON for a script, the text for people. */
  answer(value: unknown, text: () => string): void
  /** What the process ends with where all went well: 0 unless this was called. */
  endWith(exit: number): void
  /** Something for people beside the output; not said to scripts. */
  remark(text: string): void
}

/** A command that talks to a server, with the options that all of them have. */
export function clientCommand(name: string): Command {
  return new Command(name)
    .option('--url <address>', 'where the server is (CUELIGHT_URL)')
    .option('--token <token>', 'who you are to it (CUELIGHT_TOKEN)')
    .option('--json', 'for scripts: JSON on standard output, errors as JSON on standard error')
}

/** Does the work of a command, says what failed, and sets what the process ends with. */
export async function inSession(
  { json = false, ...flags }: ClientOptions,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  // Who reads the output has seen enough, as `head` has after ten lines: nothing is left to do.
  process.stdout.once('error', () => process.exit(EXIT.DONE))
  try {
    const session: Session = {
      config: readClientConfig(flags),
      json,
      paint: paintFor(process.stdout),
      viewerZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      answer: (value, text) => void process.stdout.write(`${json ? JSON.stringify(value) : text()}\n`),
      endWith: (exit) => {
        process.exitCode = exit
      },
      remark: (text) => void (json || process.stderr.write(`${shown(text)}\n`)),
    }
    await work(session)
  } catch (error) {
    const { code, message, detail, exit } = failureOf(error)
    process.stderr.write(`${json ? JSON.stringify({ error: { code, message, ...detail } }) : shown(message)}\n`)
    process.exitCode = exit
  }
}

/** A text that may hold others' words: its lines stay, and nothing else that works a terminal. */
const shown = (text: string) => text.split('\n').map(printable).join('\n')

function failureOf(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CommandFailure(message, { exit: EXIT.UNEXPECTED, code: 'UNEXPECTED' })
}
