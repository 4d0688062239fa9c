/** Where the runner reports what a person who runs the server has to know; pino's logger is one. */
export interface RunnerLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
