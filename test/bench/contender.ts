import { CONTENDERS } from './contenders.ts'
import { measureStarts } from './cuelight.ts'
import { measureMaterialise } from './materialise.ts'

/** What has a process of its own besides contenders, as it has in a server. */
const ALONE: Record<string, (url: string) => Promise<object>> = {
  starts: (url) => measureStarts(url, 300),
  'upcoming runs': (url) => measureMaterialise(url, 10_000),
}

// The process is told the address of a database for each round, and tells what it measured.
const [, , wanted = ''] = process.argv
const run = ALONE[wanted] ?? CONTENDERS.find(({ name }) => name === wanted)?.run
if (run === undefined) throw new Error(`There is no contender "${wanted}".`)
process.on('disconnect', () => process.exit())
process.on('message', async (url: string) => {
  process.send?.(await run(url))
})
