import { IANAZone } from 'luxon'

// Names that stand in the zone database for the past's sake. Each means one offset, or rules of one country under
// another's abbreviation: an author who writes one hardly ever means that.
const ABBREVIATIONS =
  /^(EST|MST|HST|WET|CET|MET|EET|GMT|UCT|EST5EDT|CST6CDT|MST7MDT|PST8PDT|GMT0|(Etc\/)?GMT[+-]?\d+|Etc\/(GMT|UCT)|[+-].*)$/i

/** Names that were looked up: looking takes half a millisecond, and a definition asks several times. */
const known = new Set<string>()

function isKnown(name: string): boolean {
  if (!known.has(name) && IANAZone.isValidZone(name)) known.add(name)
  return known.has(name)
}

/** What is wrong with a zone, as a sentence; null: it is the IANA name of one. UTC is one. */
export function zoneProblem(name: string): string | null {
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
  if (ABBREVIATIONS.test(name)) {
    return `The zone ${shown} is an abbreviation or a fixed offset, which knows no daylight saving; write the IANA name of a place, like Europe/Berlin, or UTC.`
  }
  return isKnown(name)
    ? null
    : `The zone must be an IANA name, like Europe/Berlin or UTC, and ${shown} is none; correct it.`
}
