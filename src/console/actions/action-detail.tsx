import { Button } from '@mantine/core'
import { IconBan, IconGauge } from '@tabler/icons-react'
import { useState } from 'react'
import type { RegisteredActionFragment } from '../../generated/console/documents.ts'
import { useMay } from '../session/viewer-context.ts'
import { Chip } from '../ui/chip.tsx'
import { SchemaFields } from '../ui/schema-fields.tsx'
import { capsOf, sentencesOf } from './action-words.ts'
import classes from './actions.module.css'
import { SettingDialog } from './setting-dialog.tsx'
import { UsedBy } from './used-by.tsx'
import type { Uses } from './uses.ts'

const count = new Intl.NumberFormat('en')

/** What an admin set for an action, in its row. */
export function ActionChips({ action }: { action: RegisteredActionFragment }) {
  const capped = capsOf(action).filter(({ cap }) => cap !== null)
  return (
    <>
      {capped.length > 0 && (
        <Chip tone="info" icon={IconGauge}>
          Capped
        </Chip>
      )}
      {!action.setting.enabled && (
        <Chip tone="bad" icon={IconBan}>
          Switched off
        </Chip>
      )}
    </>
  )
}

type ActionDetailProps = { action: RegisteredActionFragment; uses: Uses; onChange(): void }

/** All there is to know of an action, and what an admin allows of it. */
export function ActionDetail({ action, uses, onChange }: ActionDetailProps) {
  const maySet = useMay('ADMIN')
  const [isAsking, setAsking] = useState(false)
  return (
    <div className={classes.detail}>
      <section aria-label={`Params of ${action.label}`}>
        <h4 className={classes.part}>Params</h4>
        <SchemaFields schema={action.paramsSchema} none="It takes no params." />
      </section>
      <section aria-label={`Setting of ${action.label}`}>
        <h4 className={classes.part}>Setting</h4>
        <ul className={classes.setting}>
          <li>
            {action.setting.enabled ? 'It may be called.' : 'It is switched off: steps that call it are refused.'}
          </li>
          {capsOf(action).map(({ dimension, cap }) => (
            <li key={dimension}>
              {cap === null
                ? `A run may cause any number of ${dimension}: they are counted, not capped.`
                : `A run may cause ${count.format(cap)} ${dimension} at most.`}
            </li>
          ))}
        </ul>
        {maySet && (
          <Button variant="default" onClick={() => setAsking(true)}>
            Change setting …
          </Button>
        )}
        <SettingDialog action={action} opened={isAsking} onClose={() => setAsking(false)} onChange={onChange} />
      </section>
      <section aria-label={`More about ${action.label}`}>
        <h4 className={classes.part}>What it does to a run</h4>
        <ul className={classes.sentences}>
          {sentencesOf(action).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <p className={classes.dim}>Version {action.version}</p>
      </section>
      <UsedBy id={action.id} uses={uses} />
    </div>
  )
}
