import { Command } from 'commander'

export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of the files that apply takes, for editors')
    .action(async () => {
      process.stdout.once('error', () => process.exit(0))
      // Loaded only here: it is the whole API.
      const [{ schema }, { jsonSchemaOf }] = await Promise.all([
        import('../graphql/schema.ts'),
        import('./definition-schema.ts'),
      ])
      process.stdout.write(`${JSON.stringify(jsonSchemaOf(schema, 'CreateDefinitionInput'), null, 2)}\n`)
    })
}
