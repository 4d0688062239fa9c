import { Chip, Group, Input, NativeSelect, TextInput } from '@mantine/core'
import { textOf } from '../definitions/json.ts'
import { DateList } from './date-list.tsx'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { LocalField } from './local-field.tsx'
import { DAYS, daysOf, nthDayOf, type Rule, readRule, withParts, writeRule } from './rule.ts'
import { RuleEnd } from './rule-end.tsx'

const AT = ['schedule', 'recurring']
const START = [...AT, 'start']
const RULE = [...AT, 'rule']
const EXCLUDE = [...AT, 'exclude']
const INCLUDE = [...AT, 'include']

/** A schedule by a rule: what is common is chosen, and the rule itself can be written too. */
export function RecurrenceFields() {
  const { id, value, set, told } = useField(RULE)
  const rule = readRule(textOf(value))
  const write = (parts: Readonly<Record<string, string | null>>) => set(writeRule(withParts(rule, parts)))
  const frequency = rule.get('FREQ')?.toUpperCase() ?? ''
  return (
    <>
      <IssuesHere path={AT} />
      <LocalField label="First day, and the time of day" path={START} />
      <div className={classes.row}>
        <TextInput
          label="Every"
          inputMode="numeric"
          placeholder="1"
          value={rule.get('INTERVAL') ?? ''}
          onChange={(event) => write({ INTERVAL: event.currentTarget.value.trim() || null })}
        />
        <NativeSelect
          label="Unit"
          value={frequency}
          onChange={(event) =>
            write({ FREQ: event.currentTarget.value, BYDAY: null, BYMONTHDAY: null, BYMONTH: null, BYSETPOS: null })
          }
          data={[
            ...(UNITS.some((unit) => unit.value === frequency)
              ? []
              : [{ value: frequency, label: frequency || 'Choose' }]),
            ...UNITS,
          ]}
        />
        <RuleEnd rule={rule} write={write} />
      </div>
      {frequency === 'WEEKLY' && <WeekDays rule={rule} write={write} />}
      {frequency === 'MONTHLY' && <MonthDay rule={rule} write={write} />}
      <TextInput
        id={id}
        label="The rule"
        description="As RFC 5545 has it: for what cannot be chosen above."
        withAsterisk
        {...told}
        classNames={{ input: classes.code }}
        value={textOf(value)}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <DateList
        path={EXCLUDE}
        label="Left out"
        none="No day is left out."
        what="A day, a day and time, or an instant that ends in Z"
      />
      <DateList
        path={INCLUDE}
        label="Besides"
        none="Nothing comes besides."
        what="A day and time, like 2026-12-24T20:00, or an instant that ends in Z"
      />
    </>
  )
}

const UNITS = [
  { value: 'DAILY', label: 'days' },
  { value: 'WEEKLY', label: 'weeks' },
  { value: 'MONTHLY', label: 'months' },
  { value: 'YEARLY', label: 'years' },
]

export type RulePartProps = { rule: Rule; write(parts: Readonly<Record<string, string | null>>): void }

function WeekDays({ rule, write }: RulePartProps) {
  const days = daysOf(rule)
  if (days === null) return null
  return (
    <Input.Wrapper label="On" labelElement="div" description="On that of the first day where none is chosen.">
      <Chip.Group
        multiple
        value={days}
        onChange={(chosen) => {
          const ordered = DAYS.map(({ code }) => code).filter((code) => chosen.includes(code))
          write({ BYDAY: ordered.join(',') || null })
        }}
      >
        <Group gap={6} mt={6}>
          {DAYS.map(({ code, name }) => (
            <Chip key={code} value={code} size="sm">
              {name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

const NTH = [
  { value: '1', label: 'first' },
  { value: '2', label: 'second' },
  { value: '3', label: 'third' },
  { value: '4', label: 'fourth' },
  { value: '5', label: 'fifth' },
  { value: '-1', label: 'last' },
]

function MonthDay({ rule, write }: RulePartProps) {
  const nth = nthDayOf(rule)
  const monthDay = rule.get('BYMONTHDAY')
  const kind = nth !== null ? 'nth' : monthDay !== undefined ? 'day' : rule.has('BYDAY') ? 'other' : 'start'
  return (
    <div className={classes.row}>
      <NativeSelect
        label="On"
        value={kind}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          write({
            BYDAY: chosen === 'nth' ? '1MO' : null,
            BYMONTHDAY: chosen === 'day' ? '1' : null,
            BYSETPOS: null,
          })
        }}
        data={[
          { value: 'start', label: 'the same day as the first' },
          { value: 'day', label: 'a day of the month' },
          { value: 'nth', label: 'a day of a week' },
          ...(kind === 'other' ? [{ value: 'other', label: 'as the rule says' }] : []),
        ]}
      />
      {kind === 'day' && (
        <TextInput
          label="Day of the month"
          description="-1 is the last."
          value={monthDay ?? ''}
          onChange={(event) => write({ BYMONTHDAY: event.currentTarget.value })}
        />
      )}
      {nth !== null && (
        <>
          <NativeSelect
            label="Which"
            data={NTH}
            value={nth.nth}
            onChange={(event) => write({ BYDAY: event.currentTarget.value + nth.day })}
          />
          <NativeSelect
            label="Day"
            data={DAYS.map(({ code, name }) => ({ value: code, label: name }))}
            value={nth.day}
            onChange={(event) => write({ BYDAY: nth.nth + event.currentTarget.value })}
          />
        </>
      )}
    </div>
  )
}
