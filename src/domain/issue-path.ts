/** A path below another: `joinPath('params', 'count')` is `params.count`; a list item (`[0]`) and '' are taken as they are. */
export function joinPath(base: string, relative: string): string {
  if (relative === '' || base === '') return base + relative
  return relative.startsWith('[') ? base + relative : `${base}.${relative}`
}

/** Keys and places in lists as a path below `base`: `items[0].name`, and `["two words"]` where a key is no name. */
export function writtenPath(keys: readonly (string | number)[], base = ''): string {
  const written = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`
    return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
  })
  return (base + written.join('')).replace(/^\./, '')
}
