import { readFileSync } from 'node:fs'
import {
  type DefinitionNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  parse,
  print,
  printSchema,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

const contract = parse(readFileSync(new URL('contract.graphql', import.meta.url), 'utf8'))
const printed = printSchema(schema)

/**
 * A document as facts, by path: `Run.steps` is a field of this type, `Run.steps(status:)` an argument of that type and
 * default, `RunStatus.PAUSED` a value, `Run: Node` an interface, `GateSpec | AfterGateSpec` a member.
 */
function factsOf(definitions: readonly DefinitionNode[]): Map<string, string> {
  const facts = new Map<string, string>()
  const inputValue = ({ type, defaultValue }: InputValueDefinitionNode) =>
    `${print(type)}${defaultValue === undefined ? '' : ` = ${print(defaultValue)}`}`
  const named = (nodes: readonly NamedTypeNode[] | undefined) => (nodes ?? []).map(({ name }) => name.value)
  const fields = (type: string, nodes: readonly FieldDefinitionNode[] | undefined) => {
    for (const field of nodes ?? []) {
      facts.set(`${type}.${field.name.value}`, print(field.type))
      for (const arg of field.arguments ?? [])
        facts.set(`${type}.${field.name.value}(${arg.name.value}:)`, inputValue(arg))
    }
  }
  const values = (node: EnumTypeDefinitionNode) => {
    for (const value of node.values ?? []) facts.set(`${node.name.value}.${value.name.value}`, 'value')
  }
  for (const node of definitions) {
    if (!('name' in node) || node.name === undefined) continue
    const name = node.name.value
    const oneOf = 'directives' in node && node.directives?.some((directive) => directive.name.value === 'oneOf')
    facts.set(name, `${node.kind}${oneOf ? ' @oneOf' : ''}`)
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      fields(name, node.fields)
      for (const other of named(node.interfaces)) facts.set(`${name}: ${other}`, 'interface')
    }
    if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of node.fields ?? []) facts.set(`${name}.${field.name.value}`, inputValue(field))
    if (node.kind === Kind.ENUM_TYPE_DEFINITION) values(node)
    if (node.kind === Kind.UNION_TYPE_DEFINITION)
      for (const member of named(node.types)) facts.set(`${name} | ${member}`, 'member')
  }
  return facts
}

const promised = factsOf(contract.definitions)
const held = factsOf(parse(printed).definitions)

test('the schema holds what the contract promises, with the same types, arguments and defaults', () => {
  const actual = [...promised].map(([path]) => [path, held.get(path)])
  expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(promised))
})

test('what the contract names without spelling it out is in the schema', () => {
  const connections = [...promised.values()].flatMap((type) => /^(\w+Connection)!$/.exec(type)?.[1] ?? [])
  expect(connections.length).toBeGreaterThan(3)
  for (const name of connections) {
    expect(held.get(`${name}.totalCount`)).toBe('Int')
    expect(held.get(`${name}.pageInfo`)).toBe('PageInfo!')
    expect(held.get(`${name}.edges`)).toMatch(/^\[\w+Edge!\]!$/)
  }
})

test('every type, field, argument and value has a description', () => {
  const bare: string[] = []
  const look = (path: string, node: object) => {
    if (!('description' in node) || node.description === undefined) bare.push(path)
  }
  for (const node of parse(printed).definitions) {
    if (!('name' in node) || node.name === undefined) continue
    const type = node.name.value
    look(type, node)
    const parts = 'fields' in node ? (node.fields ?? []) : 'values' in node ? (node.values ?? []) : []
    for (const part of parts) {
      look(`${type}.${part.name.value}`, part)
      if ('arguments' in part)
        for (const arg of part.arguments ?? []) look(`${type}.${part.name.value}(${arg.name.value}:)`, arg)
    }
  }
  expect(bare).toEqual([])
})

test('schema.graphql is what the code prints', () => {
  expect(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')).toBe(`${printed}\n`)
})
