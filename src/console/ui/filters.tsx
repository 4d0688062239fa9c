import { Button, Collapse } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import classes from './ui.module.css'
import { useIsPhone } from './use-is-phone.ts'

type FiltersProps = {
  /** How many of them are set. */
  count: number
  onClear(): void
  children: ReactNode
}

/** The fields that a list is filtered by: in a row, on a phone behind a button. */
export function Filters({ count, onClear, children }: FiltersProps) {
  const isPhone = useIsPhone()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const clear = count > 0 && (
    <Button variant="default" onClick={onClear} className={classes.clear}>
      Clear
    </Button>
  )
  const fields = (
    <search aria-label="Filters" className={classes.filters}>
      {children}
      {clear}
    </search>
  )
  if (!isPhone) return fields
  return (
    <div className={classes.filtersBox}>
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <Collapse id={id} expanded={isOpen}>
        {fields}
      </Collapse>
    </div>
  )
}
