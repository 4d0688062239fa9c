import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { command } from './command.ts'

const run = promisify(execFile)

/** What bash would offer for the last of the words. */
async function offered(...words: string[]): Promise<string[]> {
  const main = join(inject('build'), 'cli/main.js')
  const ask = `source <("$0" "$1" completion bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cuelight; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', ask, process.execPath, main, 'cuelight', ...words])
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, parts of commands, options and choices', async () => {
  expect(await offered('re')).toEqual(['resume', 'retry'])
  expect(await offered('token', '')).toEqual(expect.arrayContaining(['create', 'list', 'revoke']))
  expect(await offered('ev')).toEqual(['events'])
  expect(await offered('token', 'create', 'x', '--ro')).toEqual(['--role'])
  expect(await offered('token', 'create', '--role', 'VIEW')).toEqual(['VIEWER'])
  expect(await offered('runs', '--status', 'P')).toEqual(['PAUSED'])
  expect(await offered('logs', 'quiz', '--f')).toEqual(['--follow'])
  expect(await offered('pause', '--no')).toEqual([])
  expect(await offered('completion', 'z')).toEqual(['zsh'])
})

test('zsh gets the same by what it has for scripts of bash; other shells are refused with those that there are', async () => {
  expect((await command(['completion', 'zsh'])).out).toMatch(/^autoload .*bashcompinit\n_cuelight\(\) \{/)
  expect(await command(['completion', 'fish'])).toMatchObject({ code: 2, err: expect.stringContaining('bash, zsh') })
})
