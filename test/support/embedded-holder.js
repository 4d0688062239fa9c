import { pathToFileURL } from 'node:url'

// A process that holds an embedded PostgreSQL until it is killed: prints its connection string when it is ready.

const [, , build, dataDir] = process.argv
const { startEmbedded } = await import(pathToFileURL(`${build}/store/embedded.js`).href)
const log = { info() {}, warn: console.error, error: console.error }
const { url } = await startEmbedded({ dataDir, log, durable: false })
console.log(url)
