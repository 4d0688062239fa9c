import { afterAll } from 'vitest'
import { served, TOKEN } from '../server/served.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { command, startCommand } from './command.ts'

/** A server with an event of every kind of step, for the tests of a file, and the command line that talks to it. */
export async function quizServer() {
  const { url: databaseUrl } = await testDatabase()
  const server = await served(
    { DATABASE_URL: databaseUrl, CUELIGHT_MODULES: 'test/cli/quiz-world.ts', CUELIGHT_POLL_MS: '200' },
    { until: afterAll },
  )
  const env = { CUELIGHT_URL: server.url, CUELIGHT_TOKEN: TOKEN }
  const cuelight = (args: string[], options: { env?: object; input?: string } = {}) =>
    command(args, { ...options, env: { ...env, ...options.env } })
  return {
    ...server,
    env,
    cuelight,
    start: (args: string[], more: object = {}) => startCommand(args, { env: { ...env, ...more } }),
    /** A command's one JSON value; throws what it said where it failed. */
    async json(...args: string[]) {
      const { code, out, err } = await cuelight([...args, '--json'])
      if (code !== 0) throw new Error(`${args.join(' ')} exits with ${code}: ${err}`)
      return JSON.parse(out)
    },
    /** Publishes an event of these phases, and answers its id. */
    async publishPhases(slug: string, phases: object[], more: object = {}): Promise<string> {
      const spec = { schedule: { manual: true }, phases }
      return server.publish(slug, [], { title: 'Quiz night', spec, ...more })
    },
    /** Waits until a run matches, by what `runs` lists of it. */
    until: (id: string, matches: (run: Record<string, unknown>) => boolean) =>
      eventually(async () => {
        const answer = await server.ask(
          `query Until { run(id: "${id}") { status waitingCues currentPhase health waitingOn { kind } } }`,
        )
        const { run } = JSON.parse(answer).data
        if (!matches(run)) throw new Error(`The run is ${answer}.`)
      }),
  }
}
