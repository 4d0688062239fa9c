import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, memo } from 'react'
import { listOf, textOf } from '../definitions/json.ts'
import classes from './draft.module.css'
import { useDraft, useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { GateFields } from './gate-fields.tsx'
import { IssuesHere } from './issues-here.tsx'
import { withItem, withItemMoved, withoutItem } from './list-change.ts'
import { PartButtons } from './part-buttons.tsx'
import { keyOf } from './part-key.ts'
import { fieldId } from './path.ts'
import { StepCard } from './step-card.tsx'

type PhaseCardProps = { phase: unknown; index: number; many: number }

/** A phase of the draft, of so many: its name, its steps, its gate. */
export const PhaseCard = memo(({ phase, index, many }: PhaseCardProps) => {
  const { store, say, setOpen } = useDraft()
  const path = ['phases', index]
  const label = useField([...path, 'label'])
  const key = useField([...path, 'key'])
  const steps = useField([...path, 'steps'])
  const list = listOf(steps.value)
  const partKey = keyOf(phase)
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
          {...label.told}
          value={textOf(label.value)}
          onChange={(event) => label.set(event.currentTarget.value || undefined)}
        />
        <TextInput
          id={key.id}
          label="Key"
          withAsterisk
          {...key.told}
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
            phase={index}
            seq={seq}
            canUp={seq > 0 || index > 0}
            canDown={seq < list.length - 1 || index < many - 1}
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
})
