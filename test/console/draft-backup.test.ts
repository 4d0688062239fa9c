import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { later, retitle, Storage, seen, world } from './draft-world.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

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
