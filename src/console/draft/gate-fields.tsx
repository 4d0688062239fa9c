import { NativeSelect, Select, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useChosen } from '../api/signal.ts'
import { objectOf, textOf } from '../definitions/json.ts'
import { ConditionFields } from './condition-fields.tsx'
import classes from './draft.module.css'
import { type Trigger, useDraft, useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { ParsedInput, parseNumber, textFormat } from './parsed-field.tsx'
import type { Path } from './path.ts'

/** What a phase waits for besides its steps. */
export function GateFields({ index }: { index: number }) {
  const path = ['phases', index, 'advance']
  const gate = useField(path)
  const { after, trigger } = objectOf(gate.value)
  const kind = trigger !== undefined ? 'trigger' : after !== undefined ? 'after' : 'none'
  /** What was written for the other kind, for who comes back to it. */
  const written = useRef<Record<string, unknown>>({})
  const choose = (next: string) => {
    written.current[kind] = gate.value
    const fresh: Record<string, unknown> = { after: { after: '' }, trigger: { trigger: { on: '' } } }
    gate.set(next === 'none' ? undefined : (written.current[next] ?? fresh[next]))
  }
  return (
    <div className={classes.gate}>
      <NativeSelect
        id={gate.id}
        label="The phase ends"
        value={kind}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: 'none', label: 'when its steps are done' },
          { value: 'after', label: 'when its steps are done and some time has passed' },
          { value: 'trigger', label: 'when its steps are done and something has happened' },
        ]}
      />
      <IssuesHere path={path} />
      {kind === 'after' && <After path={[...path, 'after']} />}
      {kind === 'trigger' && <TriggerGate path={[...path, 'trigger']} index={index} />}
    </div>
  )
}

function After({ path }: { path: Path }) {
  const { id, value, set, told } = useField(path)
  return (
    <TextInput
      id={id}
      label="Time since it was entered"
      description="90s, 30m, 1h30m, 1d"
      withAsterisk
      {...told}
      value={textOf(value)}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}

function TriggerGate({ path, index }: { path: Path; index: number }) {
  const { triggers, store } = useDraft()
  const on = useField([...path, 'on'])
  const count = useField([...path, 'count'])
  const trigger = triggers.find(({ id }) => id === on.value)
  const phrase = useChosen(store.view, ({ server, saving }) => {
    const told = server.draft.phases[index]?.advance
    return told?.__typename === 'TriggerGateSpec' && saving.kind === 'saved' ? told.phrase : null
  })
  return (
    <>
      <IssuesHere path={path} />
      <div className={classes.pair}>
        <Select
          id={on.id}
          label="What happens"
          description={trigger?.description ?? 'A trigger, which a game server emits.'}
          placeholder="Choose, or type to search"
          searchable
          withAsterisk
          {...on.told}
          data={choices(triggers, textOf(on.value))}
          value={textOf(on.value) || null}
          onChange={(chosen) => on.set(chosen ?? '')}
          nothingFoundMessage={
            triggers.length === 0
              ? 'This server has no triggers: a module brings them. See “Actions” for what there is.'
              : 'No trigger is called so'
          }
          comboboxProps={{ withinPortal: false }}
        />
        <ParsedInput
          id={count.id}
          label="How often"
          description="Once where nothing is written."
          inputMode="numeric"
          {...count.told}
          value={count.value}
          set={count.set}
          parse={parseNumber}
          format={textFormat}
        />
      </div>
      <ConditionFields path={[...path, 'where']} trigger={trigger} />
      {phrase !== null && (
        <p className={classes.phrase}>
          It counts where <strong>{phrase}</strong>.
        </p>
      )}
    </>
  )
}

function choices(triggers: readonly Trigger[], chosen: string) {
  const known = triggers.map(({ id, label }) => ({ value: id, label: `${label} (${id})` }))
  const isKnown = chosen === '' || triggers.some(({ id }) => id === chosen)
  return isKnown ? known : [...known, { value: chosen, label: `${chosen} (not there)` }]
}
