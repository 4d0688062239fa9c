import { Client, fetchExchange } from '@urql/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Backups, type Shelf } from '../../src/console/draft/backup.ts'
import { DraftStore } from '../../src/console/draft/draft-store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Longer than anybody is waited for to type on, and than a try to save is put off. */
const LATER_MS = 5_000
const UNREADABLE = 'title: [Half'

type Written = { title?: string; description?: string; ifUpdatedAt?: string }

/** A browser's storage, which may be full. */
class Storage implements Shelf {
  readonly kept = new Map<string, string>()
  isFull = false
  get length() {
    return this.kept.size
  }
  key = (index: number) => [...this.kept.keys()][index] ?? null
  getItem = (key: string) => this.kept.get(key) ?? null
  removeItem = (key: string) => void this.kept.delete(key)
  setItem(key: string, value: string) {
    if (this.isFull) throw new Error('QuotaExceededError')
    this.kept.set(key, value)
  }
}

/** A server with one draft, as far as an editor asks it, and browsers that write at it. */
function world() {
  let version = 1
  let draft = { title: 'Quiz', description: 'Old.' }
  /** What was asked to be written, whatever was answered. */
  const sent: Written[] = []
  const sentAt: number[] = []
  let trouble: 'none' | 'cut' | { code: string; message?: string } = 'none'
  const state = () => ({
    id: 'one',
    slug: 'quiz',
    state: 'DRAFT' as const,
    updatedAt: new Date(Date.UTC(2040, 0, 1, 0, version)).toISOString(),
    ...draft,
    timeZone: 'UTC',
    graceSeconds: 900,
    concurrencyKey: null,
    parameters: [],
    draft: { asInput: { schedule: { manual: true }, phases: [] }, phases: [] },
    draftIssues: [],
    draftWarnings: [],
  })
  const write = ({ title = draft.title, description = draft.description }: Written) => {
    draft = { title, description }
    version += 1
  }
  const update = ({ ifUpdatedAt, ...written }: Written) => {
    sent.push(written)
    sentAt.push(Date.now())
    if (trouble !== 'none') return null
    if (ifUpdatedAt !== state().updatedAt) {
      return { __typename: 'ConflictError', code: 'CONFLICT', message: 'Somebody changed it.', lastControl: null }
    }
    write(written)
    return { __typename: 'UpdateDefinitionPayload', definition: state() }
  }
  const client = new Client({
    url: 'http://server.test/graphql',
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetch: async (_url, init) => {
      const { operationName, variables } = JSON.parse(String(init?.body))
      const data =
        operationName === 'UpdateDraft'
          ? { updateDefinition: update(variables.input) }
          : operationName === 'Draft'
            ? { definition: state() }
            : { auditLog: { edges: [] } }
      if (trouble === 'cut') throw new Error('no network')
      const errors = trouble === 'none' ? undefined : [{ message: trouble.message ?? 'Trouble.', extensions: trouble }]
      return Response.json(errors === undefined ? { data } : { data: null, errors })
    },
  })
  return {
    sent,
    sentAt,
    draft: () => draft,
    state,
    /** Somebody else writes at the draft. */
    write,
    setTrouble(next: typeof trouble) {
      trouble = next
    },
    open(storage: Storage, writer = 'Ada') {
      const store = new DraftStore({ client, server: state(), backups: new Backups(storage, 'one'), writer })
      const leave = store.enter()
      return { store, leave }
    },
  }
}

const retitle = (store: DraftStore, title: string) => store.edit((content) => ({ ...content, title }), title)
const later = () => vi.advanceTimersByTimeAsync(LATER_MS)
const seen = ({ view }: DraftStore) => ({
  title: view.value.content.title,
  description: view.value.content.description,
})

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

describe('what is kept in the browser', () => {
  /** Something that Ada wrote and that did not reach the server. */
  async function unsaved(storage: Storage) {
    const here = world()
    const { store, leave } = here.open(storage)
    here.setTrouble('cut')
    retitle(store, "Ada's")
    await later()
    leave()
    await later()
    here.setTrouble('none')
    here.sent.length = 0
    return here
  }

  test('is sent in the name of who wrote it, and forgotten then', async () => {
    const storage = new Storage()
    const { open, draft } = await unsaved(storage)
    const { store } = open(storage)
    await later()
    expect(draft().title).toBe("Ada's")
    expect(store.view.value.offers).toEqual([])
    expect(storage.kept.size).toBe(0)
  })

  test('is sent in no other name unless they use it', async () => {
    const storage = new Storage()
    const { open, draft, sent } = await unsaved(storage)
    const { store } = open(storage, 'Mira')
    await later()
    expect(sent).toEqual([])
    expect(seen(store).title).toBe('Quiz')
    const [offer] = store.view.value.offers
    if (offer === undefined) throw new Error('Nothing was offered.')
    expect(offer.by).toBe('Ada')
    store.takeOffer(offer)
    await later()
    expect(draft().title).toBe("Ada's")
    expect(store.view.value.offers).toEqual([])
    expect(storage.kept.size).toBe(0)
    store.undo()
    expect(seen(store).title).toBe('Quiz')
  })

  test('is dropped where they do not want it', async () => {
    const storage = new Storage()
    const { open, sent } = await unsaved(storage)
    const { store } = open(storage, 'Mira')
    for (const offer of store.view.value.offers) store.dropOffer(offer)
    await later()
    expect(sent).toEqual([])
    expect(store.view.value.offers).toEqual([])
    expect(storage.kept.size).toBe(0)
  })

  test('that others changed the draft since it was written is told, also of what is used', async () => {
    const storage = new Storage()
    const { open, write, draft } = await unsaved(storage)
    write({ title: 'Hers' })
    const { store } = open(storage, 'Mira')
    const [offer] = store.view.value.offers
    if (offer === undefined) throw new Error('Nothing was offered.')
    store.takeOffer(offer)
    await later()
    expect(store.view.value.conflict?.theirs.title).toBe('Hers')
    expect(draft().title).toBe('Hers')
  })

  test('is not forgotten by another page that has all on the server', async () => {
    const storage = new Storage()
    const { open, setTrouble } = world()
    const first = open(storage)
    const second = open(storage, 'Mira')
    setTrouble('cut')
    retitle(first.store, "Ada's")
    first.leave()
    await later()
    setTrouble('none')
    second.store.edit((content) => ({ ...content, description: "Mira's." }))
    expect(await second.store.save()).toBe(true)
    expect([...storage.kept.values()].map((json) => JSON.parse(json).content.title)).toEqual(["Ada's"])
  })

  test('is forgotten as it was read, not as another page wrote it since', async () => {
    const storage = new Storage()
    const { open, setTrouble } = world()
    const first = open(storage)
    setTrouble('cut')
    retitle(first.store, 'One')
    await later()
    const second = open(storage)
    retitle(first.store, 'Two')
    setTrouble('none')
    expect(await second.store.save()).toBe(true)
    expect([...storage.kept.values()].join()).toContain('"Two"')
  })

  test('says so where there is no room for it', () => {
    const storage = new Storage()
    const { store } = world().open(storage)
    storage.isFull = true
    retitle(store, 'Mine')
    expect(store.view.value.isKept).toBe(false)
    storage.isFull = false
    retitle(store, 'Mine again')
    expect(store.view.value.isKept).toBe(true)
  })

  test.each(['{"by": "Ada', 'null', '{"by":"Ada","content":{}}'])('may be broken, like %s', (broken) => {
    const storage = new Storage()
    storage.setItem('cuelight.draft.one.1', broken)
    const { store } = world().open(storage)
    expect(store.view.value).toMatchObject({ saving: { kind: 'saved' }, offers: [] })
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
