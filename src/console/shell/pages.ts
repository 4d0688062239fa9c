import { IconActivity, IconHandStop, IconTimeline } from '@tabler/icons-react'

/** The pages that have a place in the menu, in its order. */
export const PAGES = [
  { to: '/', label: 'Now', icon: IconActivity, hasCues: false },
  { to: '/cues', label: 'Cues', icon: IconHandStop, hasCues: true },
  { to: '/definitions', label: 'Definitions', icon: IconTimeline, hasCues: false },
] as const
