import { expect, test } from 'vitest'
import { Changes } from '../../src/store/changes.ts'

test('who missed something looks again, and nobody takes it for a revoked token', () => {
  const changes = new Changes()
  const told: string[] = []
  changes.onRun('r1', () => told.push('run'))
  changes.onWake(() => told.push('wake'))
  changes.onTokenRevoked('t1', () => told.push('revoked'))
  changes.missedSome()
  expect(told.sort()).toEqual(['run', 'wake'])
  changes.tokenRevoked('t1')
  expect(told).toContain('revoked')
})
