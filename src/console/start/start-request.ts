import type { StartRunInput } from '../../generated/console/documents.ts'

/**
 * Names what is asked for, so that the server starts it once however often it is pressed and whatever answers are lost:
 * the same again has the same name, anything else another.
 */
export class StartRequest {
  #asked = ''
  #id = ''

  named(input: StartRunInput): StartRunInput {
    const asked = JSON.stringify(input)
    if (asked !== this.#asked) {
      this.#asked = asked
      this.#id = mintId()
    }
    return { ...input, requestId: this.#id }
  }
}

/** Not randomUUID, which browsers have on https addresses alone. */
function mintId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
