import { type ExecutionResult, type GraphQLError, specifiedRules, validate } from 'graphql'
import { expect } from 'vitest'
import type { ControlContext } from '../../src/controls/context.ts'
import type { Role } from '../../src/domain/access.ts'
import { isObject } from '../../src/domain/plain-object.ts'
import { executeOperation, subscribeOperation } from '../../src/graphql/execute.ts'
import { complexityRule, parseDocument } from '../../src/graphql/limits.ts'
import { schema } from '../../src/graphql/schema.ts'
import { Registry } from '../../src/modules/registry.ts'
import { Changes } from '../../src/store/changes.ts'
import type { Database } from '../../src/store/database.ts'
import { FakeClock } from '../../src/testing/fake-clock.ts'
import { controlContext } from '../support/context.ts'

/** When the fixtures' clock stands still. */
export const NOW = new Date('2026-03-06T20:00:00.000Z')

type Variables = { [name: string]: unknown }

/** A client of the API in this process, past the transports: documents in, results as clients read them out. */
export class Client {
  readonly registry: Registry
  readonly control: ControlContext
  readonly faults: { id: string; error: unknown }[] = []
  readonly outages: unknown[] = []
  role: Role | null = 'ADMIN'

  constructor(
    db: Database,
    {
      registry = new Registry(),
      clock = new FakeClock(NOW.getTime()),
      changes = new Changes(),
    }: {
      registry?: Registry
      clock?: ControlContext['clock']
      changes?: Changes
    } = {},
  ) {
    this.registry = registry
    this.control = controlContext({
      db,
      changes,
      clock,
      catalog: registry,
    })
  }

  /** The whole result, errors and all. */
  async execute(source: string, variables: Variables = {}): Promise<ExecutionResult> {
    const document = parsed(source)
    if (!('kind' in document)) return document
    return asRead(
      await executeOperation({ schema, document, variableValues: variables, contextValue: this.#context() }),
    )
  }

  /** The data of an operation that has no errors. */
  async query(source: string, variables: Variables = {}): Promise<Data> {
    const { data, errors } = await this.execute(source, variables)
    expect(errors).toBeUndefined()
    return new Data(data)
  }

  /** The first error of an operation, which has to have one. */
  async error(source: string, variables: Variables = {}): Promise<GraphQLError> {
    const { errors } = await this.execute(source, variables)
    const error = errors?.[0]
    if (error === undefined) throw new Error('the operation went through')
    return error
  }

  /** The events of a subscription; or the result that refused it. */
  async subscribe(source: string, variables: Variables = {}) {
    const document = parsed(source)
    if (!('kind' in document)) return document
    return subscribeOperation({ schema, document, variableValues: variables, contextValue: this.#context() })
  }

  /** The events of a subscription that begins. */
  async events(source: string, variables: Variables = {}): Promise<AsyncIterableIterator<ExecutionResult>> {
    const started = await this.subscribe(source, variables)
    if (!(Symbol.asyncIterator in started)) throw new Error(JSON.stringify(started.errors))
    return started
  }

  #context() {
    const { role, control, registry } = this
    return {
      actor: role === null ? null : { kind: 'TOKEN' as const, name: 'Mira' },
      role,
      control,
      registry,
      publicUrl: null,
      onFault: (fault: { id: string; error: unknown }) => this.faults.push(fault),
      onOutage: (error: unknown) => this.outages.push(error),
    }
  }
}

function parsed(source: string) {
  const document = parseDocument(source)
  const errors = validate(schema, document, [...specifiedRules, complexityRule])
  return errors.length > 0 ? { errors } : document
}

/** As a client reads it: JSON. */
const asRead = (result: ExecutionResult): ExecutionResult => ({
  ...result,
  ...(result.data === undefined ? {} : { data: JSON.parse(JSON.stringify(result.data)) }),
})

/** A place in a result, to walk along without guessing what is there. */
export class Data {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  /** `at('runs', 'edges', 0, 'node')`; undefined where there is no such place. */
  at(...path: (string | number)[]): unknown {
    return path.reduce<unknown>((value, key) => {
      if (Array.isArray(value))
        return typeof key === 'number' ? value[key] : value.map((item) => new Data(item).at(key))
      return isObject(value) ? value[key] : undefined
    }, this.value)
  }

  text(...path: (string | number)[]): string {
    const value = this.at(...path)
    if (typeof value !== 'string') throw new Error(`${path.join('.')} is ${JSON.stringify(value)}`)
    return value
  }
}
