/** A path below another: `joinPath('params', 'count')` is `params.count`; a list item (`[0]`) and '' are taken as they are. */
export function joinPath(base: string, relative: string): string {
  if (relative === '' || base === '') return base + relative
  return relative.startsWith('[') ? base + relative : `${base}.${relative}`
}
