import { CONTENDERS } from './contenders.ts'

// The process of a contender: is told the address of a database for each of its rounds, and tells what they took.
const contender = CONTENDERS.find(({ name }) => name === process.argv[2])
if (contender === undefined) throw new Error(`There is no contender "${process.argv[2]}".`)
process.on('disconnect', () => process.exit())
process.on('message', async (url: string) => {
  process.send?.(await contender.run(url))
})
