import { type ReactNode, useEffect, useState } from 'react'
import { type Connection, openConnection } from '../api/connection.ts'
import { ConnectionContext } from '../api/connection-context.ts'
import { useSignal } from '../api/signal.ts'
import { SignIn } from './sign-in.tsx'
import { forgetToken, token as kept } from './token.ts'
import { ViewerGate } from './viewer-gate.tsx'

/** Shows its children to who is signed in, with a connection; asks for a token otherwise, also when one is revoked. */
export function Session({ children }: { children: ReactNode }) {
  const token = useSignal(kept)
  const [refused, setRefused] = useState(false)
  const [connection, setConnection] = useState<Connection | null>(null)

  useEffect(() => {
    if (token === null) return
    setRefused(false)
    const opened = openConnection(token, () => {
      setRefused(true)
      forgetToken()
    })
    setConnection(opened)
    return () => {
      setConnection(null)
      opened.close()
    }
  }, [token])

  if (token === null) return <SignIn refused={refused} />
  if (connection === null) return null
  return (
    <ConnectionContext value={connection}>
      <ViewerGate>{children}</ViewerGate>
    </ConnectionContext>
  )
}
