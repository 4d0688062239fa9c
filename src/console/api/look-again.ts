import { useEffect } from 'react'

/** Reads again every so often what changes by time alone, or what nothing tells of. */
export function useLookAgain(refresh: () => void, everyMs: number): void {
  useEffect(() => {
    const looking = setInterval(refresh, everyMs)
    return () => clearInterval(looking)
  }, [refresh, everyMs])
}
