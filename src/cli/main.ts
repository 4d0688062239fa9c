#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'

/** What a shell learns of a command line that was wrong, as apart from a command that failed. */
const USAGE = 2

// Who reads the output may end before us. Runs must not end with it, nor the embedded PostgreSQL be left behind.
process.stdout.once('error', ({ message }) => {
  process.stderr.write(`Nobody takes the output any more (${message}); the work goes on without it.\n`)
})
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; help and version end here too, with 0.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE
  } else {
    // At once: what a start that failed has left open must not keep the process.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1))
  }
}
