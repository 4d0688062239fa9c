/** Whether what an `If-None-Match` states is what the tag stands for. */
export const isKnown = (stated: string | undefined, tag: string): boolean =>
  (stated ?? '').split(',').some((part) => part.trim().replace(/^W\//, '') === tag || part.trim() === '*')
