import { NativeSelect, Select, TextInput, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react'
import { type KeyboardEvent, memo, useMemo } from 'react'
import { formatDuration } from '../../domain/duration.ts'
import { useChosen } from '../api/signal.ts'
import { objectOf, textOf } from '../definitions/json.ts'
import { Chip } from '../ui/chip.tsx'
import classes from './draft.module.css'
import { type Action, issuesAt, useDraft, useField } from './draft-context.ts'
import { IssuesHere } from './issues-here.tsx'
import { ParamFields } from './param-fields.tsx'
import { PartButtons } from './part-buttons.tsx'
import { keyOf } from './part-key.ts'
import type { Path } from './path.ts'
import stepClasses from './step.module.css'
import { doubleStep, moveStep, removeStep } from './step-moves.ts'

type StepCardProps = {
  step: unknown
  /** Places of its phase, and in that. */
  phase: number
  seq: number
  canUp: boolean
  canDown: boolean
}

/** A step of the draft: a line, which unfolds to its action, its params and what its failure does. */
export const StepCard = memo(({ step, phase, seq, canUp, canDown }: StepCardProps) => {
  const editing = useDraft()
  const { store, actions, open, setOpen } = editing
  const { actionId, label, params } = objectOf(step)
  const partKey = keyOf(step)
  const isOpen = useChosen(open, (parts) => parts.has(partKey))
  const action = actions.find(({ id }) => id === actionId)
  const title = textOf(label) || action?.label || textOf(actionId) || 'A new step'
  const path = useMemo(() => ['phases', phase, 'steps', seq], [phase, seq])
  const issues = useChosen(store.view, (view) => issuesAt(view.issues, path, true).length)
  const place = { phase, seq }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    moveStep(editing, place, event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <li className={stepClasses.step}>
      <div className={stepClasses.stepHead}>
        <UnstyledButton
          id={`head-${partKey}`}
          className={stepClasses.stepName}
          aria-expanded={isOpen}
          aria-controls={`body-${partKey}`}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          onClick={() => setOpen(partKey, !isOpen)}
          onKeyDown={onKeyDown}
        >
          <IconChevronRight size={18} className={stepClasses.fold} aria-hidden />
          <span className={classes.number}>{seq + 1}</span>
          <span className={stepClasses.stepText}>
            <span>{title}</span>
            <span className={stepClasses.dim}>{summary(textOf(actionId), params)}</span>
          </span>
          {issues > 0 && (
            <Chip tone="wait" icon={IconAlertTriangle}>
              {issues === 1 ? '1 issue' : `${issues} issues`}
            </Chip>
          )}
        </UnstyledButton>
        <PartButtons
          what={`step ${seq + 1}, ${title}`}
          partKey={partKey}
          canUp={canUp}
          canDown={canDown}
          onMove={(by) => moveStep(editing, place, by)}
          onCopy={() => doubleStep(editing, place)}
          onRemove={() => removeStep(editing, place)}
        />
      </div>
      <div id={`body-${partKey}`} hidden={!isOpen}>
        {isOpen && <StepBody path={path} action={action} />}
      </div>
    </li>
  )
})

function summary(actionId: string, params: unknown): string {
  const values = Object.entries(objectOf(params)).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return [actionId, ...values].filter((part) => part !== '').join(' · ')
}

const FOLLOWS = {
  NOTIFY: 'As the action has it: the run goes on',
  CHANGE: 'As the action has it: the run is paused',
  IRREVERSIBLE: 'As the action has it: the run fails',
} as const

function StepBody({ path, action }: { path: Path; action: Action | undefined }) {
  const { actions } = useDraft()
  const actionId = useField([...path, 'actionId'])
  const label = useField([...path, 'label'])
  const onFailure = useField([...path, 'onFailure'])
  return (
    <div className={stepClasses.stepBody}>
      <IssuesHere path={path} />
      <div className={classes.pair}>
        <Select
          id={actionId.id}
          label="Action"
          description={action?.description ?? `${action === undefined ? 'What it does' : action.label}.`}
          placeholder="Choose, or type to search"
          searchable
          withAsterisk
          {...actionId.told}
          data={grouped(actions, textOf(actionId.value))}
          value={textOf(actionId.value) || null}
          onChange={(chosen) => actionId.set(chosen ?? '')}
          nothingFoundMessage="No action is called so"
          comboboxProps={{ withinPortal: false }}
        />
        <TextInput
          id={label.id}
          label="Label"
          description="Shown for the step."
          placeholder={action?.label ?? ''}
          {...label.told}
          value={textOf(label.value)}
          onChange={(event) => label.set(event.currentTarget.value || undefined)}
        />
      </div>
      <ParamFields path={[...path, 'params']} action={action} />
      <NativeSelect
        id={onFailure.id}
        label="If it fails for good"
        {...onFailure.told}
        value={textOf(onFailure.value)}
        onChange={(event) => onFailure.set(event.currentTarget.value || undefined)}
        data={[
          { value: '', label: action === undefined ? 'As the action has it' : FOLLOWS[action.risk] },
          { value: 'SKIP', label: 'The run goes on' },
          { value: 'PAUSE', label: 'The run is paused until somebody resumes it' },
          { value: 'ABORT_RUN', label: 'The run fails' },
        ]}
      />
      {action !== undefined && <p className={stepClasses.facts}>{facts(action)}</p>}
    </div>
  )
}

/** What is fixed for every step of the action: its module and the server set it, not the event. */
function facts({ budgetMs, supportsVerify, reversible, setting }: Action): string {
  return [
    ...(setting.enabled ? [] : ['It is switched off: steps that call it are refused.']),
    `An attempt may take ${formatDuration(budgetMs)}; one that fails is tried again as the server is set.`,
    reversible === 'REVERT' ? 'What it makes is taken back when the run ends.' : '',
    supportsVerify ? '' : 'It cannot be verified, and a rehearsal does not call it.',
    ...setting.caps.map(({ dimension, cap }) =>
      cap === null ? `It counts ${dimension}.` : `It counts ${dimension}, of which a run may cause ${cap}.`,
    ),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

/** By module; what the draft has and no module does, too. */
function grouped(actions: readonly Action[], chosen: string) {
  const modules = [...new Set(actions.map(({ module }) => module))]
  const known = modules.map((module) => ({
    group: module,
    items: actions
      .filter((one) => one.module === module)
      .map(({ id, label }) => ({ value: id, label: `${label} (${id})` })),
  }))
  const isKnown = chosen === '' || actions.some(({ id }) => id === chosen)
  return isKnown ? known : [...known, { group: 'Not there', items: [{ value: chosen, label: chosen }] }]
}
