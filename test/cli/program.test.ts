import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

/** What a command line prints, and what it ends with. */
async function run(...args: string[]) {
  let [out, err] = ['', '']
  const program = createProgram()
  const output = {
    writeOut: (text: string) => {
      out += text
    },
    writeErr: (text: string) => {
      err += text
    },
  }
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    command.configureOutput(output)
  const error: unknown = await program.parseAsync(args, { from: 'user' }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { out, err, exitCode: error instanceof CommanderError ? error.exitCode : null }
}

test('--version is the package’s', async () => {
  const manifest: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(await run('--version')).toEqual({ out: `${manifest.version}\n`, err: '', exitCode: 0 })
})

test('--help names every command', async () => {
  const { out, exitCode } = await run('--help')
  expect(exitCode).toBe(0)
  expect(out).toMatch(/\bserve\b[\s\S]*\bmigrate\b[\s\S]*\btoken\b/)
})

test.each([
  [['serv'], /unknown command 'serv'[\s\S]*Did you mean serve\?/],
  [['serve', '--no-migrat'], /unknown option '--no-migrat'/],
  [['migrate', 'now'], /too many arguments/],
  [['token', 'creat'], /unknown command 'creat'[\s\S]*Did you mean create\?/],
  [['token', 'create', 'shard'], /required option '--role <role>' not specified/],
  [['token', 'create', 'shard', '--role', 'OWNER'], /'OWNER' is invalid[\s\S]*VIEWER, EMITTER, MODERATOR, ADMIN/],
])('%j is refused with what may have been meant', async (args, message) => {
  const { err, exitCode } = await run(...args)
  expect(exitCode).not.toBe(0)
  expect(err).toMatch(message)
  expect(err).toContain('--help')
})

test('without a command it shows its help and fails', async () => {
  const { err, exitCode } = await run()
  expect(exitCode).toBe(1)
  expect(err).toContain('Usage: cuelight')
})
