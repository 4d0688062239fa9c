/** What the server's Content-Security-Policy wants of each style that is made in the browser. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
