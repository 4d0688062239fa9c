import { useState } from 'react'
import { VerifyDefinitionDocument, type VerifyDefinitionMutation } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'

/** What is verified: the current version or the draft. */
export type Verifiable = 'version' | 'draft'

/** What a verification found that somebody asked for. */
export type Verified = Extract<VerifyDefinitionMutation['verifyDefinition'], { __typename: 'VerifyDefinitionPayload' }>

export type Verifying = {
  /** What is being verified now. */
  busy: Verifiable | null
  /** Why there is no answer. */
  problem: string | null
  verified: Verified | null
  /** Never rejects: what went wrong is the `problem`. */
  verify(what: Verifiable): Promise<void>
}

/** Verifies an event when somebody wants to know. */
export function useVerifying(definitionId: string): Verifying {
  const { client } = useConnection()
  const [busy, setBusy] = useState<Verifiable | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [verified, setVerified] = useState<Verified | null>(null)
  const verify = async (what: Verifiable) => {
    setBusy(what)
    setProblem(null)
    const outcome = await act(client, VerifyDefinitionDocument, {
      input: { id: definitionId, draft: what === 'draft' },
    })
    setBusy(null)
    if (outcome.kind === 'unknown') return setProblem(outcome.message)
    if (outcome.kind === 'refused') return setProblem(messageOf(outcome.refusal))
    setVerified(outcome.payload)
  }
  return { busy, problem, verified, verify }
}
