import { GraphQLError } from 'graphql'
import type { ControlContext } from '../controls/context.ts'
import { complexityRule, parseDocument } from '../graphql/limits.ts'
import { maskError } from '../graphql/request-errors.ts'
import { schema } from '../graphql/schema.ts'
import type { Registry } from '../modules/registry.ts'
import type { Api } from './graphql-endpoint.ts'
import type { Logger } from './logger.ts'

/** The API on top of this server's parts; faults go to the log, under the id that the client gets. */
export function createApi({
  control,
  registry,
  log,
}: {
  control: ControlContext
  registry: Registry
  log: Logger
}): Api {
  const onFault = ({ id, error }: { id: string; error: unknown }) => {
    log.error({ err: error, id }, 'an operation met a fault; the client was told this id')
  }
  return {
    schema,
    contextFor: (caller) => ({ actor: caller?.actor ?? null, role: caller?.role ?? null, control, registry, onFault }),
    parseDocument,
    validationRules: [complexityRule],
    maskError: (error) => maskError(error instanceof GraphQLError ? error : wrapped(error), onFault),
  }
}

function wrapped(error: unknown): GraphQLError {
  return new GraphQLError('A fault.', { originalError: error instanceof Error ? error : new Error(String(error)) })
}
