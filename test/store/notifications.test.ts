import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Changes, type RunChange } from '../../src/store/changes.ts'
import { mintId } from '../../src/store/ids.ts'
import { Notifications } from '../../src/store/notifications.ts'
import { testDatabase } from '../support/database.ts'
import { halfOpen } from '../support/half-open.ts'

const { url } = await testDatabase()

/** A process, as far as its changes go. */
async function newProcess({ databaseUrl = url, askMs = 10_000, onWarning = (_changes: Changes) => {} } = {}) {
  const changes = new Changes()
  const said: string[] = []
  const warn = (message: string) => {
    said.push(message)
    onWarning(changes)
  }
  const log = { info: (message: string) => said.push(message), warn }
  const notifications = new Notifications({ url: databaseUrl, changes, log, askMs })
  onTestFinished(() => notifications.stop())
  await notifications.start()
  return { changes, notifications, said }
}

/** What goes over the wire, as a session of its own hears it. */
async function listen() {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  onTestFinished(() => session.end())
  const heard: string[] = []
  session.on('notification', ({ channel, payload = '' }) => channel === 'cuelight' && heard.push(payload))
  await session.query('LISTEN cuelight')
  await session.query('LISTEN marker')
  /** All that was sent until now: notifications come in the order of their commits, one's own too. */
  const payloads = async () => {
    await session.query('NOTIFY marker')
    return heard
  }
  const sessions = async () => {
    const { rows } = await session.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'Cuelight notifications'",
    )
    return rows.map(({ pid }) => pid)
  }
  const cut = async () => {
    for (const pid of await sessions()) await session.query('SELECT pg_terminate_backend($1)', [pid])
  }
  return { payloads, sessions, cut }
}

const next = (on: (listener: () => void) => () => void) =>
  new Promise<void>((resolve) => {
    const off = on(() => {
      off()
      resolve()
    })
  })

/** The changes that come until there are so many, or until one is null. */
const collect = (changes: Changes, count: number) =>
  new Promise<(RunChange | null)[]>((resolve) => {
    const heard: (RunChange | null)[] = []
    const off = changes.onRuns((change) => {
      heard.push(change)
      if (heard.length < count && change !== null) return
      off()
      resolve(heard)
    })
  })

test('what is told in one process at a time is one message, of which others hear the last line of each run', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const [one, two] = [mintId(), mintId()]
  const heard = collect(there.changes, 2)
  const cues = next((listener) => there.changes.onCues(listener))
  const read = next((listener) => there.changes.onRun(one, listener))
  for (let line = 1; line <= 50; line += 1) here.changes.publish({ runId: one, line, cues: line === 7 })
  here.changes.publish({ runId: two, line: 3, cues: false })
  expect(await heard).toEqual([
    { runId: one, line: 50, cues: true },
    { runId: two, line: 3, cues: false },
  ])
  await cues
  await read
  expect(await wire.payloads()).toEqual([
    JSON.stringify({
      runs: [
        [one, 50, 1],
        [two, 3, 0],
      ],
    }),
  ])
})

test('what a process heard it does not tell again, nor hear of itself', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const told = (changes: Changes) => {
    const runs: (RunChange | null)[] = []
    changes.onRuns((change) => runs.push(change))
    return runs
  }
  const [toldHere, toldThere] = [told(here.changes), told(there.changes)]
  const ping = { runId: mintId(), line: 1, cues: false }
  const pong = { runId: mintId(), line: 2, cues: false }
  const ended = { runId: mintId(), line: 3, cues: false }
  // Each one waits for the one before, so that none are gathered into one message.
  for (const [from, to, change] of [
    [here, there, ping],
    [there, here, pong],
    [here, there, ended],
  ] as const) {
    const heard = collect(to.changes, 1)
    from.changes.publish(change)
    await heard
  }
  expect(toldHere).toEqual([ping, pong, ended])
  expect(toldThere).toEqual([ping, pong, ended])
  expect(await wire.payloads()).toHaveLength(3)
})

test('runners are woken, and told of schedules where that is why', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  let schedules = 0
  there.changes.onSchedules(() => {
    schedules += 1
  })
  const woken = next((listener) => there.changes.onWake(listener))
  here.changes.wake()
  await woken
  expect(schedules).toBe(0)
  const changed = next((listener) => there.changes.onSchedules(listener))
  here.changes.wake()
  here.changes.schedulesChanged()
  await changed
})

test('a token that is revoked in one process is over in the others, and its revocation is told once', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const [id, other] = [mintId(), mintId()]
  const heard = next((listener) => there.changes.onTokenRevoked(id, listener))
  let others = 0
  there.changes.onTokenRevoked(other, () => {
    others += 1
  })
  here.changes.tokenRevoked(id)
  await heard
  expect(others).toBe(0)
  expect(await wire.payloads()).toEqual([JSON.stringify({ revoked: [id] })])
})

test('more revocations than can be named have everybody look them up', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const missed = next((listener) => there.changes.onMissed(listener))
  for (let token = 0; token <= 140; token += 1) here.changes.tokenRevoked(mintId())
  await missed
})

test('many runs at once are as many messages as fit, each shorter than 8,000 bytes', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const runs = Array.from({ length: 1_000 }, () => ({ runId: mintId(), line: 2_147_483_647, cues: true }))
  const heard = collect(there.changes, runs.length)
  for (const run of runs) here.changes.publish(run)
  expect(await heard).toEqual(runs)
  expect(await wire.payloads()).toHaveLength(8)
  for (const payload of await wire.payloads()) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
})

test('more than can be named are one word that anything may have changed', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const heard = collect(there.changes, 1)
  for (let run = 0; run < 5_001; run += 1) here.changes.publish({ runId: mintId(), line: 1, cues: false })
  expect(await heard).toEqual([null])
  expect(await wire.payloads()).toEqual(['{"missed":true}'])
})

test('a process whose connection was cut comes back by itself and looks again', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const wire = await listen()
  const again = [here, there].map(({ changes }) => next((listener) => changes.onWake(listener)))
  const schedules = next((listener) => here.changes.onSchedules(listener))
  const readers = next((listener) => here.changes.onRun(mintId(), listener))
  const missed = next((listener) => here.changes.onMissed(listener))
  await wire.cut()
  await Promise.all([...again, schedules, readers, missed])
  expect(here.said).toEqual([
    expect.stringMatching(/^other processes on the database are not heard/),
    'other processes are heard again',
  ])
  // Both are there: what one tells the other hears.
  expect(await wire.sessions()).toHaveLength(2)
  const change = { runId: mintId(), line: 9, cues: false }
  const heard = collect(there.changes, 1)
  here.changes.publish(change)
  expect(await heard).toEqual([change])
})

test('a connection that is there and says nothing any more is given up for a new one', async () => {
  const way = await halfOpen(url)
  const { changes, said } = await newProcess({ databaseUrl: way.url, askMs: 500 })
  const again = next((listener) => changes.onWake(listener))
  way.stop()
  way.resume()
  await again
  expect(said).toEqual([expect.stringMatching(/not heard \(.*timeout/i), 'other processes are heard again'])
  const there = await newProcess()
  const change = { runId: mintId(), line: 1, cues: false }
  const heard = collect(changes, 1)
  there.changes.publish(change)
  expect(await heard).toEqual([change])
})

test('what was told while the connection was away has others look at everything', async () => {
  const wire = await listen()
  const away = await newProcess({ onWarning: (changes) => changes.publish({ runId: mintId(), line: 1, cues: false }) })
  const back = next((listener) => away.changes.onWake(listener))
  await wire.cut()
  await back
  // It is sent once the connection is back, if there is anybody or not.
  await expect.poll(wire.payloads).toEqual(['{"missed":true}'])
  const there = await newProcess()
  const heard = collect(there.changes, 1)
  away.changes.publish({ runId: mintId(), line: 1, cues: false })
  expect(await heard).not.toContain(null)
})

test('what cannot be read, as of another release, is a hint that anything may have changed', async () => {
  const there = await newProcess()
  const sender = new pg.Client({ connectionString: url })
  await sender.connect()
  onTestFinished(() => sender.end())
  for (const payload of ['{"runs":[["no-uuid",1,0]]}', 'no JSON', '', '{"wake":"the dead"}']) {
    const heard = collect(there.changes, 1)
    await sender.query('SELECT pg_notify($1, $2)', ['cuelight', payload])
    expect(await heard).toEqual([null])
  }
})

test('without a database the start goes on, says so once, and stopping ends the attempts', async () => {
  const { said, notifications } = await newProcess({ databaseUrl: 'postgresql://ada@127.0.0.1:1/cuelight' })
  expect(said).toEqual([expect.stringMatching(/not heard \(.*ECONNREFUSED.*looks for itself, and goes on trying$/)])
  await notifications.stop()
})

test('stopping does not wait for a database that has not answered yet', async () => {
  const open: Socket[] = []
  const silent = createServer((client) => open.push(client.on('error', () => {}).resume())).listen(0, '127.0.0.1')
  onTestFinished(() => {
    silent.close()
    for (const socket of open) socket.destroy()
  })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const asked = once(silent, 'connection')
  const log = { info() {}, warn() {} }
  const databaseUrl = `postgresql://ada@127.0.0.1:${port}/cuelight`
  const notifications = new Notifications({ url: databaseUrl, changes: new Changes(), log })
  const starting = notifications.start()
  await asked
  await notifications.stop()
  await starting
})

test('nor for one that says nothing any more', async () => {
  const way = await halfOpen(url)
  const { notifications } = await newProcess({ databaseUrl: way.url, askMs: 2 ** 30 })
  way.stop()
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = sockets()
  await notifications.stop()
  // What it leaves behind would keep the process from ending.
  await expect.poll(sockets, { timeout: 30_000 }).toBeLessThan(before)
})

test('stopping sends what was just told', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const change = { runId: mintId(), line: 1, cues: false }
  const heard = collect(there.changes, 1)
  here.changes.publish(change)
  await here.notifications.stop()
  expect(await heard).toEqual([change])
})
