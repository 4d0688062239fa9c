/** Names a request that is to be done once, however often it is sent. Not randomUUID, which browsers have on https addresses alone. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
