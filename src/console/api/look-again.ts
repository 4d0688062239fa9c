import { useEffect } from 'react'

/** What changes by time alone, or is told of by no feed, is read again this often. */
const LOOK_AGAIN_MS = 30_000

/** Reads again from time to time, and when somebody comes back to the page. */
export function useLookAgain(refresh: () => void): void {
  useEffect(() => {
    const looking = setInterval(refresh, LOOK_AGAIN_MS)
    window.addEventListener('focus', refresh)
    return () => {
      clearInterval(looking)
      window.removeEventListener('focus', refresh)
    }
  }, [refresh])
}
