/** How a command ends, for scripts. What the shell does itself, such as 130 for Ctrl-C, comes besides. */
export const EXIT = {
  /** Done; of what follows a run: the run is COMPLETED. */
  DONE: 0,
  /** Something nobody expected, or no server to be reached: trying again may help. */
  UNEXPECTED: 1,
  /** The command line is wrong, or a file that it names cannot be read. */
  USAGE: 2,
  /** The server refused: wrong input, a state that does not allow it, a token that may not. */
  REFUSED: 3,
  /** There is no such run, step, event. */
  NOT_FOUND: 4,
  /** The run that was followed ended otherwise than COMPLETED. */
  RUN_NOT_COMPLETED: 5,
  /** Ended by Ctrl-C, or by SIGTERM. */
  INTERRUPTED: 130,
  TERMINATED: 143,
} as const

type Exit = (typeof EXIT)[keyof typeof EXIT]

/** A command that cannot be done: a sentence that says what to do next, and what the process ends with. */
export class CommandFailure extends Error {
  readonly exit: Exit
  /** What a script may ask for: the API's code of the error, or one of ours. */
  readonly code: string
  /** What the server said besides, as its API has it: issues, the run as it is now, who was first. */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(message: string, { exit, code, detail = {} }: { exit: Exit; code: string; detail?: object }) {
    super(message)
    this.exit = exit
    this.code = code
    this.detail = { ...detail }
  }
}

/** The command line is wrong, in a way that only shows while it is done. */
export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.USAGE, code: 'USAGE' })
}

/** What was named is not there. */
export function notFound(message: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.NOT_FOUND, code: 'NOT_FOUND' })
}

/** What was named is there, and not in a state that allows it. */
export function notNow(message: string): CommandFailure {
  return new CommandFailure(message, { exit: EXIT.REFUSED, code: 'CONFLICT' })
}
