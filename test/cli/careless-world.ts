/** A module that forgets about a promise, which fails, and throws in an event when it is told to. */
setImmediate(() => void Promise.reject(new Error('forgotten by a module')))
process.once('SIGUSR2', () => {
  throw new Error('thrown in an event of a module')
})

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default { id: 'careless', actions: [] }
