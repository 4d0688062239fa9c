import { printSchema } from 'graphql'
import { schema } from './schema.ts'

// To be redirected into schema.graphql; the tests hold that file against the code.
process.stdout.write(`${printSchema(schema)}\n`)
