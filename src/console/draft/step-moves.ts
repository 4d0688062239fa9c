import { listOf, objectOf } from '../definitions/json.ts'
import type { DraftEditing } from './draft-context.ts'
import { focusSoon } from './focus.ts'
import { withItem, withItemMoved, withoutItem } from './list-change.ts'
import { keyOf } from './part-key.ts'
import { fieldId, valueAt, withValueAt, written } from './path.ts'

type Editing = Pick<DraftEditing, 'store' | 'say'>
type Place = { phase: number; seq: number }

const stepsPath = (phase: number) => ['phases', phase, 'steps'] as const
const stepsNow = ({ store }: Editing, phase: number) => listOf(valueAt(store.view.value.content, stepsPath(phase)))

function change(editing: Editing, phase: number, steps: readonly unknown[]): void {
  editing.store.edit((content) => withValueAt(content, stepsPath(phase), steps), written(stepsPath(phase)))
}

/** To its place in its phase, or over the end of that into the next one. */
export function moveStep(editing: Editing, { phase, seq }: Place, by: 1 | -1): void {
  const { store, say } = editing
  const list = stepsNow(editing, phase)
  const { phases } = store.view.value.content
  const to = seq + by
  const step = list[seq]
  if (to >= 0 && to < list.length) {
    change(editing, phase, withItemMoved(list, seq, to))
    say(`The step is now number ${to + 1} of ${list.length}.`)
  } else if (phase + by >= 0 && phase + by < phases.length) {
    store.edit((content) => {
      const others = listOf(objectOf(content.phases[phase + by]).steps)
      const taken = withValueAt(content, stepsPath(phase), withoutItem(list, seq))
      return withValueAt(taken, stepsPath(phase + by), withItem(others, by < 0 ? others.length : 0, step))
    })
    say(`The step is now in phase ${phase + by + 1}.`)
  } else return
  focusSoon(`head-${keyOf(step)}`)
}

export function doubleStep(editing: Editing, { phase, seq }: Place): void {
  const list = stepsNow(editing, phase)
  change(editing, phase, withItem(list, seq + 1, structuredClone(list[seq])))
  editing.say('The step is duplicated.')
}

export function removeStep(editing: Editing, { phase, seq }: Place): void {
  const list = stepsNow(editing, phase)
  change(editing, phase, withoutItem(list, seq))
  editing.say('The step is removed. Undo brings it back.')
  const next = list[seq + 1] ?? list[seq - 1]
  focusSoon(...(next === undefined ? [] : [`head-${keyOf(next)}`]), fieldId(stepsPath(phase)))
}
