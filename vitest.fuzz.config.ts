import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** The tests that draw at random, for long and with a new seed, which their names tell; FUZZ_SEED replays one. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/crash/crash.test.ts', 'test/fuzz/**/*.test.ts', 'test/model/**/*.test.ts'],
    fileParallelism: false,
    reporters: ['verbose'],
    env: { FUZZ: 'long' },
  },
})
