/** Says once that nobody reads the output any more, and goes on: runs must not end with it, nor a PostgreSQL be left. */
export function outliveReader(): void {
  process.stdout.once('error', ({ message }) => {
    process.stderr.write(`Nobody takes the output any more (${message}); the work goes on without it.\n`)
  })
}
