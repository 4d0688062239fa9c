import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite would take graphql's ES modules while its dependants take the others, and a second copy fails its instance checks.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    // A machine that is busy with something else must not fail them.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: '100%',
    globalSetup: 'test/support/global-setup.ts',
  },
})
