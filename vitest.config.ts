import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A machine that is busy with something else must not fail them.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: 'test/support/global-setup.ts',
  },
})
