import { NativeSelect, TextInput } from '@mantine/core'
import type { RulePartProps } from './recurrence-fields.tsx'

/** When a rule is over. */
export function RuleEnd({ rule, write }: RulePartProps) {
  const count = rule.get('COUNT')
  const until = rule.get('UNTIL')
  const kind = count !== undefined ? 'count' : until !== undefined ? 'until' : 'never'
  return (
    <>
      <NativeSelect
        label="It ends"
        value={kind}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          write({ COUNT: chosen === 'count' ? '10' : null, UNTIL: chosen === 'until' ? '' : null })
        }}
        data={[
          { value: 'never', label: 'never' },
          { value: 'count', label: 'after so many' },
          { value: 'until', label: 'on a day' },
        ]}
      />
      {kind === 'count' && (
        <TextInput
          label="After how many"
          inputMode="numeric"
          value={count ?? ''}
          onChange={(event) => write({ COUNT: event.currentTarget.value })}
        />
      )}
      {kind === 'until' && (
        <TextInput
          type="date"
          label="Last day"
          value={dayOf(until ?? '')}
          onChange={(event) => write({ UNTIL: event.currentTarget.value.replaceAll('-', '') })}
        />
      )}
    </>
  )
}

/** Of a day as a rule has it, 20261224. */
const dayOf = (until: string): string => until.replace(/^(\d{4})(\d{2})(\d{2}).*$/, '$1-$2-$3')
