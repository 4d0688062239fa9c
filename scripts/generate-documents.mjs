import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Makes the console's typed documents: for each operation in its .graphql files, what it takes and answers by schema.graphql. */
const FOLDER = 'src/console'
const OUTPUT = 'src/generated/console/documents.ts'

/** Ids and instants are texts over the wire; what else there is, is read by who knows it. */
const SCALARS = {
  DateTime: 'string',
  Duration: 'string',
  ID: 'string',
  JSONObject: 'Record<string, unknown>',
  LocalDateTime: 'string',
  TimeZone: 'string',
}

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.graphql'))

const [{ codegen }, { plugin: operations }, { plugin: documents }, { buildSchema, parse, specifiedRules, validate }] =
  await Promise.all([
    import('@graphql-codegen/core'),
    import('@graphql-codegen/typescript-operations').then((it) => ({ plugin: it })),
    import('@graphql-codegen/typed-document-node').then((it) => ({ plugin: it })),
    import('graphql'),
  ])

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const sources = files.sort().map((file) => {
  const location = join(FOLDER, file)
  return { location, document: parse(readFileSync(location, 'utf8')) }
})
const all = { kind: 'Document', definitions: sources.flatMap(({ document }) => document.definitions) }
const rules = specifiedRules.filter(({ name }) => name !== 'NoUnusedFragmentsRule')
const problems = validate(schema, all, rules)
if (problems.length > 0) {
  process.stderr.write(
    `The console's documents do not fit schema.graphql:\n${problems.map(({ message }) => `  ${message}\n`).join('')}`,
  )
  process.exit(1)
}

const text = await codegen({
  filename: OUTPUT,
  schema: parse(readFileSync('schema.graphql', 'utf8')),
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
mkdirSync(dirname(OUTPUT), { recursive: true })
if (!existsSync(OUTPUT) || readFileSync(OUTPUT, 'utf8') !== text) writeFileSync(OUTPUT, text)
