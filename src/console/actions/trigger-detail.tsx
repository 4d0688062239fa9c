import type { RegisteredTriggerFragment } from '../../generated/console/documents.ts'
import { SchemaFields } from '../ui/schema-fields.tsx'
import classes from './actions.module.css'
import { UsedBy } from './used-by.tsx'
import type { Uses } from './uses.ts'

/** What a trigger is emitted with, and who waits for it. */
export function TriggerDetail({ trigger, uses }: { trigger: RegisteredTriggerFragment; uses: Uses }) {
  return (
    <div className={classes.detail}>
      <section aria-label={`Payload of ${trigger.label}`}>
        <h4 className={classes.part}>Payload</h4>
        <SchemaFields schema={trigger.payloadSchema} none="It comes without a payload." />
      </section>
      <UsedBy id={trigger.id} uses={uses} />
    </div>
  )
}
