import { getVariableValues, Kind, parse } from 'graphql'
import { expect, test } from 'vitest'
import { inputProblem } from '../../src/graphql/input-problem.ts'
import { schema } from '../../src/graphql/schema.ts'

/** What GraphQL's own library says of an input of createDefinition, as the command line tells it. */
function told(input: unknown) {
  const [operation] = parse(
    'mutation ($input: CreateDefinitionInput!) { createDefinition(input: $input) { __typename } }',
  ).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('It is no operation.')
  const { errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], { input })
  return errors.map(({ message }) => inputProblem(message))
}

const step = { actionId: 'core.log', params: { message: 'Hi; "x" at "input.y"; }; there' } }
const good = { slug: 'a', title: 'A', spec: { schedule: { manual: true }, phases: [{ key: 'one', steps: [step] }] } }
const phase = (more: object) => ({ ...good, spec: { ...good.spec, phases: [{ key: 'one', steps: [step], ...more }] } })

test.each([
  [{ ...good, foo: 1 }, 'foo', 'This is not known here; correct its name, or remove it.'],
  [{ ...good, $schema: 1 }, '$schema', 'This is not known here; correct its name, or remove it.'],
  [{ ...good, titel: 1 }, 'titel', 'This is not known here; write "title", or remove it.'],
  [{ slug: 'a', spec: good.spec }, 'title', 'This is missing; add it.'],
  [{ ...good, title: null }, 'title', 'This is empty; give a value.'],
  [{ ...good, title: 7 }, 'title', 'It has to be a text, not 7; put a number into quotes.'],
  [{ ...good, graceSeconds: 'ten' }, 'graceSeconds', 'It has to be a whole number, not "ten"; correct it.'],
  [{ ...good, graceSeconds: 1e10 }, 'graceSeconds', 'The number 10000000000 is too large; give a smaller one.'],
  [{ ...good, spec: 'x' }, 'spec', 'It has to be an object with fields of its own; write them.'],
  [
    { ...good, parameters: [{ name: 'x', required: 'yes' }] },
    'parameters[0].required',
    'It has to be true or false, not "yes"; correct it.',
  ],
  [
    { ...good, parameters: [{ name: 'x', type: 'TEXTS' }] },
    'parameters[0].type',
    'It is none of the values that are allowed here; write "TEXT".',
  ],
  [
    { ...good, parameters: [{ name: 'x', type: 7 }] },
    'parameters[0].type',
    'It is none of the values that are allowed here; correct it.',
  ],
  [
    phase({ steps: [{ ...step, params: 'x' }] }),
    'spec.phases[0].steps[0].params',
    'It has to be an object with keys, not "x"; correct it.',
  ],
  [
    phase({ advance: { after: 5 } }),
    'spec.phases[0].advance.after',
    'It has to be a text like "30m", not 5; correct it.',
  ],
  [
    phase({ advance: { after: '5m', trigger: { on: 'x' } } }),
    'spec.phases[0].advance',
    'It has to hold exactly one of its fields; leave the others out.',
  ],
  [phase({ advance: { after: null } }), 'spec.phases[0].advance.after', 'This is empty; give a value.'],
])('%j: the place and a sentence in plain words', (input, path, message) => {
  expect(told(input)).toEqual([{ path, message }])
})

test('what GraphQL says of anything else is left as it is', () => {
  expect(told(good)).toEqual([])
  expect(inputProblem('createDefinition needs the role ADMIN.')).toBeNull()
  const many = { ...good, parameters: Array.from({ length: 60 }, () => ({ name: 7 })) }
  expect(told(many)).toHaveLength(60)
  expect(inputProblem('Too many errors processing variables, error limit reached. Execution aborted.')).toEqual({
    path: '',
    message: 'There are more problems than are listed here; solve these first.',
  })
})
