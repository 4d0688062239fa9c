import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { showMoment } from '../time/clock-text.ts'
import classes from './log.module.css'
import type { LogLine } from './log-store.ts'

/** Every line is as high as the others, so that tens of thousands need not be measured. */
const ROW = 30
const NARROW_ROW = 58
/** As close to the end as that counts as being at it. */
const NEAR = 40

type LogLinesProps = {
  lines: readonly LogLine[]
  /** Of `lines`, which grows in place. */
  count: number
  isNarrow: boolean
  isFollowing: boolean
  onFollowing(isFollowing: boolean): void
  /** Number of the line that is shown in full. */
  selected: number | null
  onSelect(line: LogLine | null): void
}

/** The lines of a log, of which only those in sight are in the page. Scrolling up stops following; the end resumes it. */
export function LogLines({ lines, count, isNarrow, isFollowing, onFollowing, selected, onSelect }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const row = isNarrow ? NARROW_ROW : ROW
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => row,
    overscan: 12,
  })
  useEffect(() => {
    if (row > 0) virtualizer.measure()
  }, [virtualizer, row])
  useEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' })
  }, [virtualizer, isFollowing, count])

  const lastTop = useRef(0)
  const onScroll = () => {
    const it = box.current
    if (it === null) return
    const fromEnd = it.scrollHeight - it.scrollTop - it.clientHeight
    // Lines that come in move the end away; only a person moves back.
    if (it.scrollTop < lastTop.current - 2 && fromEnd > NEAR) onFollowing(false)
    else if (fromEnd < 2) onFollowing(true)
    lastTop.current = it.scrollTop
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const at = lines.findIndex(({ line }) => line === selected)
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? row) / row) - 1)
    const to = destination(event.key, { at: at < 0 ? count : at, last: count - 1, page })
    const line = to === null ? undefined : lines[to]
    if (event.key === 'Escape') onSelect(null)
    if (to === null || line === undefined) return
    event.preventDefault()
    onFollowing(to === count - 1)
    onSelect(line)
    virtualizer.scrollToIndex(to)
  }

  return (
    <div
      ref={box}
      className={classes.lines}
      data-short={selected !== null || undefined}
      role="listbox"
      aria-label="Log"
      tabIndex={0}
      aria-activedescendant={selected === null ? undefined : `${id}-${selected}`}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={classes.all} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const line = lines[index]
          if (line === undefined) return null
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
            <div
              key={line.line}
              id={`${id}-${line.line}`}
              role="option"
              aria-selected={line.line === selected}
              aria-setsize={count}
              aria-posinset={index + 1}
              className={classes.line}
              data-tone={toneOf(line)}
              style={{ transform: `translateY(${start}px)`, height: size }}
              onClick={() => onSelect(line.line === selected ? null : line)}
            >
              <time className={classes.at} dateTime={line.at}>
                {showMoment(line.at)}
              </time>
              <span className={classes.kind}>{line.kind}</span>
              <span className={classes.text}>{line.text}</span>
            </div>
          )
        })}
      </div>
    </div>
  )
}

function destination(key: string, { at, last, page }: { at: number; last: number; page: number }): number | null {
  const within = (to: number) => Math.min(last, Math.max(0, to))
  if (key === 'ArrowUp') return within(at - 1)
  if (key === 'ArrowDown') return within(at + 1)
  if (key === 'PageUp') return within(at - page)
  if (key === 'PageDown') return within(at + page)
  if (key === 'Home') return within(0)
  return key === 'End' ? within(last) : null
}

/** What asks to be seen in passing: what went wrong, and what people did. */
function toneOf({ kind, detail }: LogLine): 'bad' | 'person' | undefined {
  if (kind === 'run.control' || kind === 'step.control' || kind === 'step.parked') return 'person'
  if (kind === 'step.retry' || kind === 'step.refused' || kind === 'resource.failed' || kind === 'run.health')
    return 'bad'
  const { to, level } = detail
  return to === 'FAILED' || to === 'MISSED' || to === 'INCOMPLETE' || level === 'error' ? 'bad' : undefined
}
