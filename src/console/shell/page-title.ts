import { useEffect } from 'react'
import { Signal } from '../api/signal.ts'

/** What the page that is shown is called; the shell makes the browser's title of it. */
export const pageTitle = new Signal<string | null>(null)

/** Calls the page so while it is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title)
    return () => pageTitle.set(null)
  }, [title])
}
