import type { Client } from '@urql/core'
import { RevokeApiTokenDocument, type TokenRowFragment } from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import type { Control } from '../ui/control.ts'

/** Ends a token, and what is open with it. */
export function revokeControl(client: Client, { id, name, role }: TokenRowFragment): Control {
  return {
    title: `Revoke the token of "${name}"?`,
    effect: `It is ${role === 'ADMIN' || role === 'EMITTER' ? 'an' : 'a'} ${role}. The server takes it no more from now on, and what is open with it ends at once: consoles, followed logs, game servers. If it is the one that you signed in with, you are signed out. Nothing brings it back.`,
    action: 'Revoke it',
    color: 'stop',
    reasonKeptIn: null,
    perform: () => act(client, RevokeApiTokenDocument, { input: { id } }),
  }
}
