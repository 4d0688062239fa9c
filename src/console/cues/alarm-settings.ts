import { Signal } from '../api/signal.ts'

/** How a person wants to be told of a new cue, on this device. */
export type AlarmSettings = { sound: boolean; notification: boolean }

const KEY = 'cuelight.alarm'

function read(): AlarmSettings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    const { sound = true, notification = false } = kept as Partial<AlarmSettings>
    return { sound: sound === true, notification: notification === true }
  } catch {
    return { sound: true, notification: false }
  }
}

export const alarmSettings = new Signal<AlarmSettings>(read())

export function setAlarm(change: Partial<AlarmSettings>): void {
  const settings = { ...alarmSettings.value, ...change }
  localStorage.setItem(KEY, JSON.stringify(settings))
  alarmSettings.set(settings)
}
