/** Longest name of whoever acts, in characters: it stands in logs as who did something. */
export const MAX_ACTOR_NAME = 100

/** What ends a line, moves a terminal's cursor, or turns the direction of what follows: a name with it could pass for more than a name. */
const OUT_OF_LINE = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/u

/** Whether a name stays within its place in a line. */
export const isInLine = (name: string): boolean => !OUT_OF_LINE.test(name)

/** The name with spaces for what is not in line. */
export const inLine = (name: string): string => name.replace(new RegExp(OUT_OF_LINE, 'gu'), ' ')
