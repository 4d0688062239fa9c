/** A place in a list that has pages: behind or before a cursor; from its front where neither is given. */
export type PagePlace = { after?: string; before?: string }

/** The same as arguments of a connection. */
export const pageArguments = ({ after, before }: PagePlace, size: number) =>
  before === undefined ? { first: size, ...(after === undefined ? {} : { after }) } : { last: size, before }

/** A place as an address has it: of whatever stands there, what can be one. */
export const placeOf = (search: Record<string, unknown>): PagePlace => ({
  ...(typeof search.after === 'string' ? { after: search.after } : {}),
  ...(typeof search.before === 'string' ? { before: search.before } : {}),
})
