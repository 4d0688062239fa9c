import { DEFAULT_THEME } from '@mantine/core'
import { expect, test } from 'vitest'
import { cssVariables } from '../../src/console/theme.ts'

/** Relative luminance by WCAG 2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('a quiet button can be read with the mouse over it', () => {
  const ground = luminance(cssVariables(DEFAULT_THEME).light['--mantine-color-blue-light-hover'] ?? '')
  const ink = luminance(DEFAULT_THEME.colors.blue[9])
  expect((ground + 0.05) / (ink + 0.05)).toBeGreaterThanOrEqual(4.5)
})
