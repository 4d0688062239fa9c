/** What a request says with `accept` that it takes: whether one of these types is among it. Without a word it takes all. */
export function accepts(header: string | null | undefined, types: readonly string[]): boolean {
  if (header == null || header.trim() === '') return true
  return header.split(',').some((item) => {
    const [range = ''] = item.split(';')
    const [of, kind] = range.trim().toLowerCase().split('/')
    return types.some((type) => {
      const [ownOf, ownKind] = type.split('/')
      return (of === '*' || of === ownOf) && (kind === '*' || kind === ownKind)
    })
  })
}

/** What a subscription is answered with. */
export const EVENT_STREAM = 'text/event-stream'
/** What any operation is answered with, but for a subscription that begins. */
export const ANSWERS = ['application/graphql-response+json', 'application/json', EVENT_STREAM] as const
