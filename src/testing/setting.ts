import type { ControlContext } from '../controls/context.ts'
import { setActionSetting } from '../controls/settings.ts'
import { granted } from './refused.ts'

/** What an admin sets for an action; caps by dimension, null: no bound. */
export type ActionSettings = { enabled?: boolean; caps?: Record<string, number | null> }

/** Sets it; throws `Refused` where there is no such action or dimension. */
export async function setFrom(
  ctx: ControlContext,
  actionId: string,
  { by, setting: { enabled, caps = {} } }: { by: string; setting: ActionSettings },
): Promise<void> {
  const input = {
    actionId,
    ...(enabled === undefined ? {} : { enabled }),
    caps: Object.entries(caps).map(([dimension, cap]) => ({ dimension, cap })),
  }
  const set = await setActionSetting(ctx, { kind: 'USER', name: by }, input)
  granted(`The setting of ${actionId} cannot be changed`, set)
}
