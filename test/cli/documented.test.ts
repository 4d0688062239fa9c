import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/failure.ts'
import { createProgram } from '../../src/cli/program.ts'

// What the documents say of the command line is held against its commands.

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/command-line.md')
const program = createProgram()
/** The options that every command has are explained once. */
const COMMON = ['--url', '--token', '--json', '--help']

function commandAt(words: string[], from: Command = program): { command: Command; rest: string[] } {
  let command = from
  for (const [index, word] of words.entries()) {
    const part = command.commands.find((it) => it.name() === word)
    if (part === undefined) return { command, rest: words.slice(index) }
    command = part
  }
  return { command, rest: [] }
}

test('every command of the page is there, with the options that it has, and no other', () => {
  const documented = [...page.matchAll(/^\| `([a-z][^`]*)` \|(.*)\|$/gm)].map(([, usage = '', cells = '']) => {
    const { command, rest } = commandAt(usage.split(' '))
    return { command, usage, rest, options: [...cells.matchAll(/`(--[a-z-]+)`/g)].map(([, option]) => option) }
  })
  expect(documented.length).toBeGreaterThan(12)
  for (const { command, usage, rest, options } of documented) {
    expect(command, usage).not.toBe(program)
    expect(rest.length, usage).toBe(command.registeredArguments.length)
    const has = command.options.map(({ long }) => long).filter((long) => long && !COMMON.includes(long))
    expect(options.sort(), usage).toEqual(has.sort())
  }
  const all = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]))
  const elsewhere = ['serve', 'migrate']
  expect(
    all
      .map((it) => it.name())
      .filter((name) => !elsewhere.includes(name))
      .sort(),
  ).toEqual(documented.map(({ command }) => command.name()).sort())
})

test('its exit codes are those of the code', () => {
  const documented = [...page.matchAll(/^\| (\d[\d, ]*) \|/gm)].flatMap(([, codes = '']) =>
    codes.split(', ').map(Number),
  )
  expect(documented).toEqual(Object.values(EXIT))
})

describe('examples', () => {
  const files = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((it) => it.endsWith('.md'))
      .map((it) => `docs/${it}`),
  ]
  const examples = files.flatMap((file) =>
    [...read(file).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
      [...block.matchAll(/(?:^|\$\(|<\()(?:npx )?cuelight (.*)$/gm)].map(([, line = '']) => ({ file, line })),
    ),
  )

  test('are found in the documents', () => {
    expect(examples.length).toBeGreaterThan(9)
  })

  test.each(examples)('$file: cuelight $line', ({ line }) => {
    const { command, rest } = commandAt(wordsOf(line), createProgram())
    expect(command.parent).not.toBeNull()
    const { operands, unknown } = command.parseOptions(rest)
    expect(unknown).toEqual([])
    expect(operands.length).toBeGreaterThanOrEqual(command.registeredArguments.filter((it) => it.required).length)
    if (!command.registeredArguments.some((it) => it.variadic)) {
      expect(operands.length).toBeLessThanOrEqual(command.registeredArguments.length)
    }
    for (const option of command.options) {
      if (option.mandatory) expect(command.getOptionValue(option.attributeName()), option.long).toBeDefined()
    }
  })
})

/** The words of a line of a shell, as far as the examples go, until what comes after the command. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ [|>&]|\)$/)
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}
