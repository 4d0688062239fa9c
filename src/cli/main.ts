#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT } from './failure.ts'
import { createProgram } from './program.ts'

// Who reads the output may end before us; what that means to a command is said by the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; help and version end here too, with 0.
    process.exitCode = error.exitCode === 0 ? EXIT.DONE : EXIT.USAGE
  } else {
    // At once: what a start that failed has left open must not keep the process.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () =>
      process.exit(EXIT.UNEXPECTED),
    )
  }
}
