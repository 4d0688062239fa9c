import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useSignal } from '../api/signal.ts'
import { pageTitle } from '../shell/page-title.ts'
import classes from '../shell/shell.module.css'
import { alarmSettings } from './alarm-settings.ts'
import { chime, prepareChime } from './chime.ts'
import { notify } from './notify.ts'
import { useOpenCues } from './open-cues.tsx'

/** Tells of each cue that opens while the console is open, on whatever page, and of those that a lost connection hid. */
export function CueAlarm() {
  const { cues, known } = useOpenCues()
  const settings = useSignal(alarmSettings)
  const page = useSignal(pageTitle)
  const seen = useRef<Set<string> | null>(null)
  const [said, setSaid] = useState('')
  const navigate = useNavigate()

  useEffect(() => {
    if (!known) return
    const before = seen.current
    seen.current = new Set(cues.map(({ id }) => id))
    // Those that wait already when the console is opened are seen on the page.
    const opened = before === null ? [] : cues.filter(({ id }) => !before.has(id))
    if (opened.length === 0) return
    setSaid(opened.map(({ instruction }) => `New cue: ${instruction}`).join(' '))
    if (settings.sound) chime()
    if ('vibrate' in navigator) navigator.vibrate([200, 100, 200])
    if (settings.notification) {
      for (const { id, instruction, run } of opened) void notify(run.definition.title, { body: instruction, tag: id })
    }
  }, [cues, known, settings])

  useEffect(() => {
    const name = page === null ? 'Cuelight' : `${page} · Cuelight`
    document.title = cues.length > 0 ? `(${cues.length}) ${name}` : name
  }, [cues.length, page])

  useEffect(() => {
    window.addEventListener('pointerdown', prepareChime, { once: true })
    window.addEventListener('keydown', prepareChime, { once: true })
    const show = ({ data }: MessageEvent) => data === 'show-cues' && void navigate({ to: '/cues' })
    navigator.serviceWorker?.addEventListener('message', show)
    return () => {
      window.removeEventListener('pointerdown', prepareChime)
      window.removeEventListener('keydown', prepareChime)
      navigator.serviceWorker?.removeEventListener('message', show)
    }
  }, [navigate])

  return (
    <div aria-live="assertive" className={classes.hidden}>
      {said}
    </div>
  )
}
