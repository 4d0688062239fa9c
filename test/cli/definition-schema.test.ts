import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { FIELD_BOUNDS } from '../../src/cli/definition-bounds.ts'
import { jsonSchemaOf } from '../../src/cli/definition-schema.ts'
import { parseDuration } from '../../src/domain/duration.ts'
import { isLocalDateTime } from '../../src/domain/local-time.ts'
import { IntlZones } from '../../src/domain/recurrence/intl-zones.ts'
import { slugProblem } from '../../src/domain/slug.ts'
import { validateDraft } from '../../src/domain/validate-draft.ts'
import { schema } from '../../src/graphql/schema.ts'

const valid = new Ajv({ strict: true, allErrors: true }).compile(jsonSchemaOf(schema, 'CreateDefinitionInput'))

const phase = { key: 'doors', steps: [{ actionId: 'core.log', params: {} }] }
const good = {
  $schema: './cuelight.schema.json',
  slug: 'friday',
  title: 'Friday',
  timeZone: 'UTC',
  graceSeconds: 900,
  concurrencyKey: null,
  parameters: [{ name: 'host' }],
  spec: { schedule: { manual: true }, phases: [phase] },
}
type Event = Omit<typeof good, 'concurrencyKey'>
const { concurrencyKey: _, ...event } = good
const ofPhases = (phases: unknown) => ({ ...event, spec: { ...event.spec, phases } })
const gate = (advance: unknown) => ofPhases([{ ...phase, advance }])
const many = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index))

/** Whether the server would find a draft in order, but for its slug. */
function inOrder(draft: Event | Record<string, unknown>): boolean {
  const action = { version: 1, risk: 'NOTIFY' as const, paramsSchema: {}, checkDraft: () => [] }
  const catalog = { action: () => action, trigger: () => ({ payloadSchema: {} }) }
  const { title, spec, timeZone, graceSeconds, parameters } = { ...good, ...draft }
  const given = { title, spec, timeZone, graceSeconds, parameters, concurrencyKey: null }
  return validateDraft(given, { catalog, zones: new IntlZones() }).issues.length === 0
}

test.each<[string, unknown, boolean]>([
  ['as it should be', event, true],
  ['a title without a letter', { ...event, title: '  ' }, false],
  ['the longest title', { ...event, title: 'x'.repeat(200) }, true],
  ['a longer one', { ...event, title: 'x'.repeat(201) }, false],
  ['the longest grace', { ...event, graceSeconds: 86_400 }, true],
  ['a longer one', { ...event, graceSeconds: 999_999 }, false],
  ['a negative one', { ...event, graceSeconds: -1 }, false],
  ['a name of a parameter with a space', { ...event, parameters: [{ name: 'the host' }] }, false],
  ['too long a name of one', { ...event, parameters: [{ name: 'x'.repeat(65) }] }, false],
  ['50 parameters', { ...event, parameters: many(50, (index) => ({ name: `p${index}` })) }, true],
  ['51 parameters', { ...event, parameters: many(51, (index) => ({ name: `p${index}` })) }, false],
  ['a choice of nothing', { ...event, parameters: [{ name: 'x', type: 'CHOICE', options: [] }] }, false],
  ['no phase', ofPhases([]), false],
  ['50 phases', ofPhases(many(50, (index) => ({ ...phase, key: `p${index}` }))), true],
  ['51 phases', ofPhases(many(51, (index) => ({ ...phase, key: `p${index}` }))), false],
  ['a key with a capital', ofPhases([{ ...phase, key: 'A' }]), false],
  ['200 steps', ofPhases([{ ...phase, steps: many(200, () => phase.steps[0]) }]), true],
  ['201 steps', ofPhases([{ ...phase, steps: many(201, () => phase.steps[0]) }]), false],
  ['a step without an action', ofPhases([{ ...phase, steps: [{ actionId: '', params: {} }] }]), false],
  ['a gate for a trigger', gate({ trigger: { on: 'x.y', count: 1 } }), true],
  ['a gate for none', gate({ trigger: { on: '' } }), false],
  ['a gate for none of it', gate({ trigger: { on: 'x.y', count: 0 } }), false],
  ['a gate for too many', gate({ trigger: { on: 'x.y', count: 1_000_001 } }), false],
  ['a length that is none', gate({ after: '5q' }), false],
  [
    'a start that is none',
    { ...event, spec: { ...event.spec, schedule: { once: { at: '2027-01-01 20:00' } } } },
    false,
  ],
])('%s: an editor says what the server would', (_name, draft, expected) => {
  expect(valid(draft), JSON.stringify(valid.errors)).toBe(expected)
  expect(inOrder(draft as Event)).toBe(expected)
})

test.each(['friday', 'a', '9-lives', 'Bad Slug', '-x', 'x'.repeat(64), 'x'.repeat(65), ''])('the slug %j', (slug) => {
  expect(valid({ ...event, slug })).toBe(slugProblem(slug) === null)
})

test.each([
  '10s',
  '1h30m',
  ' 30m ',
  '1d 2h',
  'PT30M',
  'P1W',
  'P1DT2H',
  '5 minutes',
  '5q',
  '',
  ' ',
  'P',
  'PT',
  '90',
  '1.5h',
  '-5m',
  'P1Y',
])('the length %j', (after) => {
  expect(valid(gate({ after }))).toBe(parseDuration(after).ok)
})

test.each(['2027-01-01T20:00', '2027-01-01T20:00:30', '2027-01-01', '2027-01-01T20:00Z', '20:00', ''])(
  'the start %j',
  (at) => {
    expect(valid({ ...event, spec: { ...event.spec, schedule: { once: { at } } } })).toBe(isLocalDateTime(at))
  },
)

test('every bound is of a field that there is', () => {
  for (const name of Object.keys(FIELD_BOUNDS)) {
    const [type = '', field = ''] = name.split('.')
    expect(schema.getType(type), name).toHaveProperty('getFields')
    const input = schema.getType(type)
    expect(input && 'getFields' in input ? Object.keys(input.getFields()) : []).toContain(field)
  }
})
