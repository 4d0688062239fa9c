/** A module that forgets about a promise, which fails. */
setImmediate(() => void Promise.reject(new Error('forgotten by a module')))

// biome-ignore lint/style/noDefaultExport: a module is a default export
export default { id: 'careless', actions: [] }
