import type { StartRunInput } from '../../generated/console/documents.ts'
import { newRequestId } from '../api/request-id.ts'

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
      this.#id = newRequestId()
    }
    return { ...input, requestId: this.#id }
  }
}
