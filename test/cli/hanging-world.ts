/** A module whose action never answers, whatever it is told. */
// biome-ignore lint/style/noDefaultExport: a module is a default export
export default {
  id: 'hanging',
  actions: [
    {
      id: 'hanging.hang',
      label: 'Hang',
      version: 1,
      risk: 'notify',
      budgetMs: 60_000,
      params: { type: 'object' },
      perform() {
        console.log('hanging')
        return new Promise(() => {})
      },
    },
  ],
}
