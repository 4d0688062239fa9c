import { startEmbedded } from '../../src/store/embedded.ts'

// A process that holds an embedded PostgreSQL until it is killed: prints its connection string when it is ready.

const [dataDir = ''] = process.argv.slice(2)
const log = { info() {}, warn: console.error, error: console.error }
const { url } = await startEmbedded({ dataDir, log, durable: false })
console.log(url)
