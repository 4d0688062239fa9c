import { Autocomplete, Textarea, TextInput } from '@mantine/core'
import { textOf } from '../definitions/json.ts'
import { Section } from '../ui/section.tsx'
import classes from './draft.module.css'
import { useField } from './draft-context.ts'
import { ParsedInput, parseNumber, textFormat } from './parsed-field.tsx'

const TITLE = ['title']
const DESCRIPTION = ['description']
const ZONE = ['timeZone']
const GRACE = ['graceSeconds']
const KEY = ['concurrencyKey']

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** What the event is called, where its clocks are, and what holds for all of it. */
export function EventFields() {
  const title = useField(TITLE)
  const description = useField(DESCRIPTION)
  const zone = useField(ZONE)
  const grace = useField(GRACE)
  const key = useField(KEY)
  return (
    <Section title="Event">
      <div className={classes.card}>
        <TextInput
          id={title.id}
          label="Title"
          withAsterisk
          {...title.told}
          value={textOf(title.value)}
          onChange={(event) => title.set(event.currentTarget.value)}
        />
        <Textarea
          id={description.id}
          label="Description"
          autosize
          maxRows={10}
          {...description.told}
          value={textOf(description.value)}
          onChange={(event) => description.set(event.currentTarget.value)}
        />
        <div className={classes.pair}>
          <Autocomplete
            id={zone.id}
            label="Time zone"
            description="All its local times are in it."
            data={ZONES}
            limit={40}
            {...zone.told}
            value={textOf(zone.value)}
            onChange={zone.set}
          />
          <ParsedInput
            id={grace.id}
            label="Grace, in seconds"
            description="How late a run may still start: 900 where nothing is written."
            inputMode="numeric"
            {...grace.told}
            value={grace.value}
            set={grace.set}
            parse={(text) => parseNumber(text) ?? null}
            format={textFormat}
          />
        </div>
        <TextInput
          id={key.id}
          label="Concurrency key"
          description="Of runs with the same key only one goes on at a time. {name} stands for a parameter: invasion:{region}"
          {...key.told}
          value={textOf(key.value)}
          onChange={(event) => key.set(event.currentTarget.value)}
        />
      </div>
    </Section>
  )
}
