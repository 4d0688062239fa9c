import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { listOf, objectOf, textOf } from '../definitions/json.ts'
import { Section } from '../ui/section.tsx'
import classes from './draft.module.css'
import { useDraft, useField } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { IssuesHere } from './issues-here.tsx'
import { withItem } from './list-change.ts'
import { keyOf } from './part-key.ts'
import { fieldId } from './path.ts'
import { PhaseCard } from './phase-card.tsx'

const PHASES = ['phases']

/** The phases in order, each with its steps and what it waits for. */
export function PhaseList() {
  const { setOpen } = useDraft()
  const { id, value, set } = useField(PHASES)
  const phases = listOf(value)
  const add = () => {
    const phase = { key: freeKey(phases), steps: [] }
    setOpen(keyOf(phase), true)
    set(withItem(phases, phases.length, phase))
    focusSoon(fieldId(['phases', phases.length, 'label']))
  }
  return (
    <Section title="Phases" count={phases.length}>
      <IssuesHere path={PHASES} />
      <ol className={classes.list}>
        {phases.map((phase, index) => (
          <PhaseCard key={keyOf(phase)} phase={phase} index={index} many={phases.length} />
        ))}
      </ol>
      <Button id={id} variant="default" size="md" leftSection={<IconPlus size={18} aria-hidden />} onClick={add}>
        Add a phase
      </Button>
    </Section>
  )
}

function freeKey(phases: readonly unknown[]): string {
  const taken = new Set(phases.map((phase) => textOf(objectOf(phase).key)))
  let number = phases.length + 1
  while (taken.has(`phase-${number}`)) number += 1
  return `phase-${number}`
}
