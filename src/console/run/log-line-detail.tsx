import { CloseButton } from '@mantine/core'
import { Instant } from '../time/instant.tsx'
import classes from './log.module.css'
import type { LogLine } from './log-store.ts'

type LogLineDetailProps = { line: LogLine; timeZone: string; onClose(): void }

/** One line of the log in full. */
export function LogLineDetail({ line, timeZone, onClose }: LogLineDetailProps) {
  const { text, kind, at, actor, phase, stepId, detail } = line
  return (
    <section className={classes.detail} aria-label={`Line ${line.line}`}>
      <div className={classes.detailHead}>
        <strong>Line {line.line}</strong>
        <CloseButton aria-label="Close the line" onClick={onClose} />
      </div>
      <p className={classes.whole}>{text}</p>
      <p className={classes.dim}>
        <code>{kind}</code> · <Instant at={at} zone={timeZone} /> · by{' '}
        {actor.kind === 'SYSTEM' ? 'Cuelight' : actor.name}
        {phase !== null && ` · phase ${phase}`}
        {stepId !== null && ` · ${stepId}`}
      </p>
      <pre className={classes.json}>{JSON.stringify(detail, null, 2)}</pre>
    </section>
  )
}
