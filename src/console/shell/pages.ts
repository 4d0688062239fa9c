import { IconActivity, IconCalendar, IconHandStop } from '@tabler/icons-react'

/** The pages that have a place in the menu, in its order. */
export const PAGES = [
  { to: '/', label: 'Now', icon: IconActivity, hasCues: false },
  { to: '/cues', label: 'Cues', icon: IconHandStop, hasCues: true },
  { to: '/calendar', label: 'Calendar', icon: IconCalendar, hasCues: false },
] as const
