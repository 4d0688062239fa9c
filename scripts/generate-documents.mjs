import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes typed documents: for each operation in the .graphql files of a folder, what it takes and answers by schema.graphql. */
const TARGETS = [
  { folder: 'src/console', output: 'src/generated/console/documents.ts' },
  { folder: 'examples/client', output: 'examples/client/documents.ts' },
]

/** Ids and instants are texts over the wire; what else there is, is read by who knows it. */
const SCALARS = {
  DateTime: 'string',
  Duration: 'string',
  ID: 'string',
  JSONObject: 'Record<string, unknown>',
  LocalDateTime: 'string',
  TimeZone: 'string',
}

const [{ codegen }, { plugin: operations }, { plugin: documents }, { buildSchema, parse, specifiedRules, validate }] =
  await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript-operations').then((it) => ({ plugin: it })),
    import('@graphql-codegen/typed-document-node').then((it) => ({ plugin: it })),
    import('graphql'),
  ])

const schemaText = readFileSync('schema.graphql', 'utf8')
const schema = buildSchema(schemaText)
const rules = specifiedRules.filter(({ name }) => name !== 'NoUnusedFragmentsRule')

for (const { folder, output } of TARGETS) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.graphql'))
  const sources = files.sort().map((file) => {
    const location = join(folder, file)
    return { location, document: parse(readFileSync(location, 'utf8')) }
  })
  const all = { kind: 'Document', definitions: sources.flatMap(({ document }) => document.definitions) }
  const problems = validate(schema, all, rules)
  if (problems.length > 0) {
    process.stderr.write(
      `The documents in ${folder} do not fit schema.graphql:\n${problems.map(({ message }) => `  ${message}\n`).join('')}`,
    )
    process.exit(1)
  }
  const text = await codegen({
    filename: output,
    schema: parse(schemaText),
    documents: sources,
    config: {
      scalars: SCALARS,
      strictScalars: true,
      enumType: 'string-literal',
      enumsAsTypes: true,
      useTypeImports: true,
      skipTypename: false,
      documentMode: 'documentNode',
      optimizeDocumentNode: true,
      dedupeFragments: true,
      defaultScalarType: 'unknown',
    },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  })
  mkdirSync(dirname(output), { recursive: true })
  if (!existsSync(output) || readFileSync(output, 'utf8') !== text) writeFileSync(output, text)
}
