// Loaded into the demo's server before anything else: however the demo ends, the server ends after it, in order.

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// The channel by itself keeps no server alive.
process.channel?.unref()
// Nobody reads what it still says.
process.stdout.on('error', () => {})
