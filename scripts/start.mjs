import './ensure-built.mjs'

// npm's shell ends on SIGTERM and does not pass it on: when it is gone, so is whoever wanted the server.
const shell = process.ppid
setInterval(() => process.ppid !== shell && process.kill(process.pid, 'SIGTERM'), 500).unref()

process.argv.splice(2, 0, 'serve')
await import('../dist/cli/main.js')
