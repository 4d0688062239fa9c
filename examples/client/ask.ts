import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { print } from 'graphql'

export type Ask = <Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables) => Promise<Data>

/** Asks a Cuelight server. What goes in and comes back is typed by the document, which was made from schema.graphql. */
export const askerOf =
  ({ url, token }: { url: string; token: string }): Ask =>
  async (document, variables) => {
    const response = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: print(document), variables }),
      signal: AbortSignal.timeout(30_000),
    })
    // What is no expected error of the mutation: a wrong token, a fault.
    const { data, errors } = await response.json()
    if (errors !== undefined) throw new Error(errors.map(({ message }: { message: string }) => message).join('\n'))
    return data
  }
