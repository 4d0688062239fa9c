import { expect, test } from 'vitest'
import { closedText } from '../../src/domain/bidi.ts'

const [RLE, RLO, PDF, RLI, FSI, PDI, RLM] = ['\u202B', '\u202E', '\u202C', '\u2067', '\u2068', '\u2069', '\u200F']

test.each([
  ['a text without any', 'Yew שלום 🐉', 'Yew שלום 🐉'],
  ['marks, which open nothing', `a${RLM}b`, `a${RLM}b`],
  ['what is closed', `a${RLE}b${PDF}c${RLI}d${FSI}e${PDI}${PDI}`, `a${RLE}b${PDF}c${RLI}d${FSI}e${PDI}${PDI}`],
  ['what is left open', `a${RLO}b`, `a${RLO}b${PDF}`],
  ['what is left open within another', `${RLI}a${RLO}b`, `${RLI}a${RLO}b${PDF}${PDI}`],
  ['an isolate that ends before what it holds', `${RLI}a${RLO}b${PDI}c`, `${RLI}a${RLO}b${PDF}${PDI}c`],
  ['what closes nothing', `a${PDI}b${PDF}c`, 'abc'],
  ['what would close something around an isolate', `${RLE}a${FSI}${PDF}b${PDI}${PDF}`, `${RLE}a${FSI}b${PDI}${PDF}`],
  ['a way out of an isolate around it', `${PDI}${RLO}gnp.exe`, `${RLO}gnp.exe${PDF}`],
  ['lines each by themselves', `${RLO}a\n${PDF}b\r\n${RLI}c`, `${RLO}a${PDF}\nb\r\n${RLI}c${PDI}`],
])('%s', (_what, text, closed) => {
  expect(closedText(text)).toBe(closed)
  expect(closedText(closed)).toBe(closed)
})

test('however many there are, each is looked at once', () => {
  const many = 300_000
  expect(closedText(RLO.repeat(many) + PDI.repeat(many))).toHaveLength(2 * many)
  expect(closedText(RLI + RLO.repeat(many) + PDI.repeat(many))).toHaveLength(2 * many + 2)
})
