import { Signal } from '../api/signal.ts'

const KEY = 'cuelight.token'

/** The token that this browser keeps; null: nobody is signed in. */
export const token = new Signal<string | null>(localStorage.getItem(KEY))

export function keepToken(value: string): void {
  localStorage.setItem(KEY, value)
  token.set(value)
}

export function forgetToken(): void {
  localStorage.removeItem(KEY)
  token.set(null)
}

// Signing out in one tab is signing out in all of them.
window.addEventListener('storage', (event) => {
  if (event.key === KEY || event.key === null) token.set(localStorage.getItem(KEY))
})
