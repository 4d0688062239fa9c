import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import type { Control } from './control.ts'
import { ControlDialog } from './control-dialog.tsx'

type Ask = (control: Control, onChange: () => void) => void

const AskContext = createContext<Ask | null>(null)

/** Holds the one dialog of controls, apart from what was pressed: that may be gone before it is answered. */
export function ControlHost({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ control: Control; onChange: () => void } | null>(null)
  const ask = useCallback<Ask>((control, onChange) => setAsked({ control, onChange }), [])
  return (
    <AskContext value={ask}>
      {children}
      <ControlDialog
        control={asked?.control ?? null}
        onClose={() => setAsked((now) => (now === asked ? null : now))}
        onChange={() => asked?.onChange()}
      />
    </AskContext>
  )
}

/** Asks for a reason and does it; `onChange` is told when what is shown has to be read again. */
export function useAsk(): Ask {
  const ask = use(AskContext)
  if (ask === null) throw new Error('There are no controls outside of the shell.')
  return ask
}
