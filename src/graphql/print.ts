import { writeFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import { schema } from './schema.ts'

// Writes schema.graphql from the code; the tests hold the file against it.
writeFileSync(new URL('../../schema.graphql', import.meta.url), `${printSchema(schema)}\n`)
