import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { later, retitle, Storage, seen, world } from './draft-world.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const UNREADABLE = 'title: [Half'

describe('a text that cannot be read', () => {
  test.each(['title: *bold', 'title: &t [*t]', 'title: Quiz\ngraceSeconds: .nan'])(
    'stays as it was typed: %j',
    (text) => {
      const { open } = world()
      const { store } = open(new Storage())
      store.showText()
      store.writeText(text)
      expect(store.view.value).toMatchObject({ text, problem: expect.stringMatching(/^Line \d+, column \d+: /) })
      expect(store.showForm()).toBe(false)
    },
  )

  test('keeps what somebody else writes meanwhile out, and is a conflict with it once it can be read', async () => {
    const { open, write, state, draft } = world()
    const { store } = open(new Storage())
    store.showText()
    store.writeText(UNREADABLE)
    await later()
    write({ title: 'Hers' })
    store.look(state())
    expect(seen(store).title).toBe('Quiz')
    store.writeText('title: Mine\ndescription: Old.\n')
    await later()
    expect(draft().title).toBe('Hers')
    expect(store.view.value.conflict?.theirs.title).toBe('Hers')
  })

  test('is not saved, cannot be left for the form, and nothing is sent until it can be read', async () => {
    const { open, sent, draft } = world()
    const { store } = open(new Storage())
    store.showText()
    store.writeText(UNREADABLE)
    expect(store.view.value.saving.kind).toBe('unsaved')
    expect(await store.save()).toBe(false)
    expect(store.view.value.saving).toMatchObject({ kind: 'refused', message: expect.stringContaining('the text') })
    expect(store.showForm()).toBe(false)
    store.undo()
    expect(store.view.value.text).toBe(UNREADABLE)
    expect(sent).toEqual([])
    store.writeText('title: Mine\ndescription: Old.\n')
    expect(await store.save()).toBe(true)
    expect(draft().title).toBe('Mine')
    expect(store.view.value.text).toBe('title: Mine\ndescription: Old.\n')
  })

  test('does not count as saved when what was sent before it arrives', async () => {
    const { open } = world()
    const { store } = open(new Storage())
    store.showText()
    store.writeText('title: Mine\ndescription: Old.\n')
    const saving = store.save()
    await vi.advanceTimersByTimeAsync(0)
    store.writeText(UNREADABLE)
    await saving
    await later()
    expect(store.view.value.saving.kind).toBe('refused')
  })

  test('is gone on with after the page was closed, over what it was written over', async () => {
    const { open, write, draft } = world()
    const storage = new Storage()
    const before = open(storage)
    before.store.showText()
    before.store.writeText(UNREADABLE)
    before.leave()
    write({ title: 'Hers' })
    const { store } = open(storage)
    expect(store.view.value.text).toBe(UNREADABLE)
    expect(store.view.value.problem).not.toBeNull()
    store.writeText('title: Mine\ndescription: Old.\n')
    await later()
    expect(draft().title).toBe('Hers')
    expect(store.view.value.conflict?.theirs.title).toBe('Hers')
  })

  test('is dropped for the draft as it is now', async () => {
    const { open, write, state } = world()
    const storage = new Storage()
    const { store } = open(storage)
    store.showText()
    store.writeText(UNREADABLE)
    write({ title: 'Hers' })
    store.dropText()
    await later()
    store.look(state())
    expect(store.view.value.text).toContain('title: Hers')
    expect(store.view.value.saving.kind).toBe('saved')
    expect(storage.kept.size).toBe(0)
  })
})

describe('undoing takes back what was done here alone', () => {
  test('what somebody else wrote is neither undone nor done away with by doing again', async () => {
    const { open, write, state, draft } = world()
    const { store } = open(new Storage())
    retitle(store, 'First')
    retitle(store, 'Second')
    store.undo()
    await later()
    write({ description: 'Hers.' })
    store.look(state())
    store.undo()
    store.redo()
    await later()
    expect(store.view.value).toMatchObject({ canUndo: false, canRedo: false })
    expect(draft()).toEqual({ title: 'First', description: 'Hers.' })
  })

  test.each(['takeTheirs', 'keepMine'] as const)('nor after %s, however far it is gone back', async (choice) => {
    const { open, write, draft } = world()
    const { store } = open(new Storage())
    retitle(store, 'First')
    await later()
    write({ description: 'Hers.' })
    retitle(store, 'Second')
    retitle(store, 'Third')
    store.undo()
    await later()
    store[choice]()
    store.redo()
    await later()
    expect(draft()).toEqual({ title: choice === 'keepMine' ? 'Second' : 'First', description: 'Hers.' })
    store.undo()
    await later()
    expect(draft()).toEqual({ title: choice === 'keepMine' ? 'First' : 'Second', description: 'Hers.' })
    store.undo()
    await later()
    expect(draft().description).toBe('Hers.')
  })
})

test('what the types of the API do not take is told at its place, for people', async () => {
  const { open, setTrouble, sent } = world()
  const { store } = open(new Storage())
  const said =
    'Variable "$input" got invalid value 5 at "input.spec.phases[0].key"; String cannot represent a non string value: 5'
  setTrouble({ code: 'BAD_USER_INPUT', message: said })
  store.edit((content) => ({ ...content, phases: [{ key: 5, steps: [] }] }))
  await later()
  expect(sent.length).toBe(1)
  expect(store.view.value).toMatchObject({
    saving: { kind: 'refused', message: 'Correct what is marked: it cannot be sent like this.' },
    issues: [{ path: 'phases[0].key', message: 'It has to be a text, not 5; put a number into quotes.' }],
  })
})

describe('saving is tried again', () => {
  test.each(['INTERNAL_SERVER_ERROR', 'TOO_MANY_REQUESTS'])('by itself after %s', async (code) => {
    const { open, setTrouble, draft } = world()
    const { store } = open(new Storage())
    setTrouble({ code })
    retitle(store, 'Mine')
    await later()
    expect(store.view.value.saving.kind).toBe('away')
    setTrouble('none')
    await later()
    expect(draft().title).toBe('Mine')
    expect(store.view.value.saving.kind).toBe('saved')
  })

  test.each(['BAD_USER_INPUT', 'FORBIDDEN'])('with the next change alone after %s', async (code) => {
    const { open, setTrouble, sent } = world()
    const { store } = open(new Storage())
    setTrouble({ code })
    retitle(store, 'Mine')
    await later()
    await later()
    expect(store.view.value.saving.kind).toBe('refused')
    expect(sent.length).toBe(1)
  })

  test('ever less often while the server has trouble, a minute apart at the most, and soon again after an answer', async () => {
    const { open, setTrouble, sent, sentAt } = world()
    const { store } = open(new Storage())
    for (const title of ['Mine', 'Mine too']) {
      setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
      sent.length = 0
      sentAt.length = 0
      retitle(store, title)
      while (sent.length < 8) await vi.advanceTimersByTimeAsync(100)
      const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
      expect(waits).toEqual([3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000])
      setTrouble('none')
      await vi.advanceTimersByTimeAsync(60_000)
      expect(store.view.value.saving.kind).toBe('saved')
    }
  })

  test('no sooner because somebody goes on typing', async () => {
    const { open, setTrouble, sentAt, draft } = world()
    const { store } = open(new Storage())
    setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
    for (let letters = 1; sentAt.length < 5; letters += 1) {
      retitle(store, 'M'.repeat((letters % 50) + 1))
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))).toEqual([3_000, 6_000, 12_000, 24_000])
    retitle(store, 'All of it')
    setTrouble('none')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(draft().title).toBe('All of it')
  })

  test('soon again after any answer, a refusal too', async () => {
    const { open, setTrouble, sentAt } = world()
    const { store } = open(new Storage())
    setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
    retitle(store, 'Mine')
    while (sentAt.length < 5) await vi.advanceTimersByTimeAsync(100)
    setTrouble({ code: 'BAD_USER_INPUT' })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(store.view.value.saving.kind).toBe('refused')
    setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
    sentAt.length = 0
    retitle(store, 'Mine too')
    while (sentAt.length < 2) await vi.advanceTimersByTimeAsync(100)
    expect((sentAt[1] ?? 0) - (sentAt[0] ?? 0)).toBe(3_000)
  })

  test('at once when the draft can be read again', async () => {
    const { open, setTrouble, sent, draft, state } = world()
    const { store } = open(new Storage())
    setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
    retitle(store, 'Mine')
    while (sent.length < 5) await vi.advanceTimersByTimeAsync(100)
    setTrouble('none')
    store.look(state())
    await vi.advanceTimersByTimeAsync(100)
    expect(draft().title).toBe('Mine')
  })

  test('over a change that arrived without an answer, which is nobody else’s', async () => {
    const { open, setTrouble, write, draft } = world()
    const { store } = open(new Storage())
    setTrouble({ code: 'INTERNAL_SERVER_ERROR' })
    retitle(store, 'Mine')
    await vi.advanceTimersByTimeAsync(1_000)
    write({ title: 'Mine' })
    setTrouble('none')
    retitle(store, 'Mine too')
    await later()
    expect(store.view.value.conflict).toBeNull()
    expect(draft().title).toBe('Mine too')
  })
})
