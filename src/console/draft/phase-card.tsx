import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { listOf, objectOf, textOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { useDraft, useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { GateFields } from './gate-fields.tsx'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withItemMoved, withoutItem } from './list-change.ts'
import { PartButtons } from './part-buttons.tsx'
import { keyOf } from './part-key.ts'
import { fieldId, withValueAt } from './path.ts'
import { StepCard } from './step-card.tsx'

/** A phase of the draft: its name, its steps, its gate. */
export function PhaseCard({ phase, index }: { phase: unknown; index: number }) {
  const { store, view, say, setOpen } = useDraft()
  const path = ['phases', index]
  const label = useField([...path, 'label'])
  const key = useField([...path, 'key'])
  const steps = useField([...path, 'steps'])
  const list = listOf(steps.value)
  const partKey = keyOf(phase)
  const many = view.content.phases.length
  const name = textOf(label.value) || textOf(key.value)
  const what = `phase ${index + 1}${name === '' ? '' : `, ${name}`}`

  const move = (by: 1 | -1) => {
    if (index + by < 0 || index + by >= many) return
    store.edit((content) => ({ ...content, phases: withItemMoved(content.phases, index, index + by) }))
    say(`Phase ${name} is now number ${index + by + 1} of ${many}.`)
    focusSoon(`${by < 0 ? 'up' : 'down'}-${partKey}`, `${by < 0 ? 'down' : 'up'}-${partKey}`)
  }
  const remove = () => {
    store.edit((content) => ({ ...content, phases: withoutItem(content.phases, index) }))
    say(`Phase ${name} is removed. Undo brings it back.`)
    focusSoon(fieldId(['phases', Math.max(0, index - 1), 'label']), fieldId(['phases']))
  }
  const addStep = () => {
    const step = { actionId: '', params: {} }
    setOpen(keyOf(step), true)
    steps.set(withItem(list, list.length, step))
    focusSoon(fieldId([...path, 'steps', list.length, 'actionId']))
  }
  /** To its place in this phase, or over its end into the next one. */
  const moveStep = (seq: number, by: 1 | -1) => {
    const to = seq + by
    const step = list[seq]
    if (to >= 0 && to < list.length) {
      steps.set(withItemMoved(list, seq, to))
      say(`The step is now number ${to + 1} of ${list.length}.`)
    } else if (index + by >= 0 && index + by < many) {
      store.edit((content) => {
        const others = listOf(objectOf(content.phases[index + by]).steps)
        const taken = withValueAt(content, [...path, 'steps'], withoutItem(list, seq))
        return withValueAt(taken, ['phases', index + by, 'steps'], withItem(others, by < 0 ? others.length : 0, step))
      })
      say(`The step is now in phase ${index + by + 1}.`)
    } else return
    focusSoon(`head-${keyOf(step)}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    move(event.key === 'ArrowUp' ? -1 : 1)
  }

  return (
    <li className={classes.phase} aria-label={what}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the fields within it bubble to it */}
      <div className={classes.phaseHead} onKeyDown={onKeyDown}>
        <span className={classes.number} aria-hidden>
          {index + 1}
        </span>
        <TextInput
          id={label.id}
          className={classes.grow}
          label="Phase"
          placeholder={textOf(key.value)}
          error={label.error}
          value={textOf(label.value)}
          onChange={(event) => label.set(event.currentTarget.value || undefined)}
        />
        <TextInput
          id={key.id}
          label="Key"
          withAsterisk
          error={key.error}
          value={textOf(key.value)}
          onChange={(event) => key.set(event.currentTarget.value)}
        />
        <PartButtons
          what={what}
          partKey={partKey}
          canUp={index > 0}
          canDown={index < many - 1}
          onMove={move}
          onRemove={remove}
        />
      </div>
      <IssuesHere path={path} />
      <IssuesHere path={[...path, 'steps']} />
      <ol className={classes.steps} aria-label={`Steps of ${what}`}>
        {list.map((step, seq) => (
          <StepCard
            key={keyOf(step)}
            step={step}
            path={[...path, 'steps', seq]}
            seq={seq}
            canUp={seq > 0 || index > 0}
            canDown={seq < list.length - 1 || index < many - 1}
            onMove={(by) => moveStep(seq, by)}
            onCopy={() => {
              steps.set(withItem(list, seq + 1, structuredClone(step)))
              say('The step is doubled.')
            }}
            onRemove={() => {
              steps.set(withoutItem(list, seq))
              say('The step is removed. Undo brings it back.')
              const next = list[seq + 1] ?? list[seq - 1]
              focusSoon(...(next === undefined ? [] : [`head-${keyOf(next)}`]), steps.id)
            }}
          />
        ))}
      </ol>
      <div className={classes.phaseFoot}>
        <Button
          id={steps.id}
          variant="default"
          size="compact-md"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={addStep}
        >
          Add a step
        </Button>
      </div>
      <GateFields index={index} />
    </li>
  )
}
