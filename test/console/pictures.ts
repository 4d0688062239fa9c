/**
 * Takes the pictures of the console that the docs show, from the console itself: "Invasion of Yew" runs on a server of its
 * own, and waits for its game master. `npm run pictures`, after which the changed ones are committed.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { z } from 'zod'
import { type Connection, connect } from '../../examples/invasion/demo-client.ts'
import { startDemoServer } from '../../examples/invasion/demo-server.ts'
import { browserPath, FLAGS } from './browser-path.ts'

const EVENT = fileURLToPath(new URL('../../examples/invasion/invasion-of-yew.json', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const LIMIT_MS = 120_000
const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

const Created = z.object({ createDefinition: z.object({ definition: z.object({ id: z.string() }) }) })
const Started = z.object({ startRun: z.object({ run: z.object({ id: z.string() }) }) })
const Cues = z.object({ run: z.object({ cues: z.array(z.object({ id: z.string() })) }) })

/** A picture: which page, at which size, and what stands on it once it is all there. */
type Picture = { name: string; path: string; shows: string; size?: typeof DESK }

const weekly = (start: string, days: string) => ({
  recurring: { start, rule: `FREQ=WEEKLY;BYDAY=${days}`, exclude: [], include: [] },
})

async function publish(connection: Connection, input: object): Promise<string> {
  const { definition } = Created.parse(
    await connection.mutate(
      `mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) {
        ... on CreateDefinitionPayload { definition { id } } ... on Error { code message } } }`,
      { input },
    ),
  ).createDefinition
  await connection.mutate(
    `mutation ($input: PublishDefinitionInput!) { publishDefinition(input: $input) {
      ... on PublishDefinitionPayload { version { version } } ... on Error { code message } } }`,
    { input: { id: definition.id } },
  )
  return definition.id
}

/** Events that are on, to come and over. Answers the run that waits for its game master. */
async function setTheScene(connection: Connection): Promise<string> {
  const event = JSON.parse(await readFile(EVENT, 'utf8'))
  const definitionId = await publish(connection, event)
  const { phases } = event.spec
  await publish(connection, {
    ...event,
    slug: 'siege-of-minoc',
    title: 'Siege of Minoc',
    concurrencyKey: null,
    spec: { schedule: weekly('2026-01-06T20:00', 'TU,TH'), phases },
  })
  await publish(connection, {
    slug: 'quiz-night',
    title: 'Quiz night',
    timeZone: 'America/New_York',
    spec: {
      schedule: weekly('2026-01-07T19:30', 'MO,WE,FR,SA'),
      phases: [{ key: 'quiz', steps: [{ actionId: 'core.cue', params: { instruction: 'Read out the questions.' } }] }],
    },
  })
  const { run } = Started.parse(
    await connection.mutate(
      `mutation ($input: StartRunInput!) { startRun(input: $input) {
        ... on StartRunPayload { run { id } } ... on Error { code message } } }`,
      { input: { definitionId } },
    ),
  ).startRun
  for await (const _ of connection.subscribe(`subscription ($id: ID!) { runLog(runId: $id) { entries { line } } }`, {
    id: run.id,
  })) {
    const { cues } = Cues.parse(
      await connection.query(`query ($id: ID!) { run(id: $id) { cues { id } } }`, { id: run.id }),
    ).run
    if (cues.length > 0) break
  }
  return run.id
}

const picturesOf = (runId: string): Picture[] => [
  { name: 'now', path: '/', shows: 'Invasion of Yew' },
  { name: 'cues', path: '/cues', shows: 'I have it', size: PHONE },
  { name: 'run', path: `/runs/${runId}`, shows: 'First wave' },
  { name: 'calendar', path: '/calendar?view=week', shows: 'Quiz night' },
  { name: 'definition', path: '/definitions/siege-of-minoc', shows: 'Pause schedule' },
  { name: 'editor', path: '/definitions/siege-of-minoc/edit', shows: 'Publish …' },
]

async function main(): Promise<void> {
  if (browserPath === null)
    throw new Error('There is no browser: install Chromium, or name one in CUELIGHT_TEST_BROWSER.')
  await mkdir(FOLDER, { recursive: true })
  const signal = AbortSignal.timeout(LIMIT_MS)
  const server = startDemoServer()
  try {
    const { url, token } = await server.ready(signal)
    const connection = await connect({ url, token, signal })
    const runId = await setTheScene(connection)
    const browser = await chromium.launch({ executablePath: browserPath, args: FLAGS })
    for (const { name, path, shows, size = DESK } of picturesOf(runId)) {
      const context = await browser.newContext({
        viewport: size,
        colorScheme: 'light',
        reducedMotion: 'reduce',
        timezoneId: 'Europe/Berlin',
        locale: 'en-GB',
      })
      const page = await context.newPage()
      await page.addInitScript(`localStorage.setItem('cuelight.token', ${JSON.stringify(token)})`)
      await page.goto(url + path)
      await page.getByText(shows).first().waitFor()
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: `${FOLDER}${name}.png` })
      console.log(`docs/pictures/${name}.png`)
      await context.close()
    }
    await browser.close()
    await connection.close()
  } finally {
    await server.stop()
  }
}

await main()
process.exit(0)
