import { expect, test } from 'vitest'
import { Load } from '../../src/runner/load.ts'

const STEP = { label: null, actionId: 'test.any' }
const never = () => new Promise<never>(() => {})

/** A load with so many calls under way, and so much work. */
function loaded(bounds: { working: number; calls: number }, { calls, working }: { calls: number; working: number }) {
  const load = new Load(bounds, () => {})
  for (let nth = 0; nth < calls + working; nth += 1) load.take()
  for (let nth = 0; nth < calls; nth += 1) void load.dispatch(STEP, never)
  return load
}

test.each([
  [{ calls: 0, working: 4 }, true],
  [{ calls: 0, working: 5 }, false],
  // Calls leave room for ten more: that counts, and not what may be worked besides.
  [{ calls: 90, working: 4 }, true],
  [{ calls: 96, working: 2 }, true],
  [{ calls: 96, working: 3 }, false],
  [{ calls: 100, working: 0 }, false],
])('more is taken up once half of what there is room for is done (%j: %s)', (under, expected) => {
  expect(loaded({ working: 8, calls: 100 }, under).hasRoom).toBe(expected)
})

test('what is in hand keeps its place between its calls, and while what is due is sought', async () => {
  const rooms: number[] = []
  const load: Load = new Load({ working: 5, calls: 2 }, () => rooms.push(load.room))
  load.take()
  const between = load.dispatch(STEP, async () => 'called').then(() => rooms.push(load.room))
  await between
  await load.dispatch(STEP, async () => 'called again')
  await load.keeping(
    1,
    async () => rooms.push(load.room),
    () => {
      load.take()
      rooms.push(load.room)
    },
  )
  load.release()
  expect(rooms).toEqual([1, 1, 1, 0, 0, 1])
})
