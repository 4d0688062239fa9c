/** Of a definition: unique, for addresses and files. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

/** Why a definition cannot have a slug, in a sentence; null where it can. */
export function slugProblem(slug: string): string | null {
  if (SLUG.test(slug)) return null
  return 'The slug must be lower-case letters, digits and "-", up to 64, and not begin with "-", like "invasion-of-yew".'
}
