import {
  IconActivity,
  IconCalendar,
  IconClipboardList,
  IconCpu,
  IconHandStop,
  IconHistory,
  IconKey,
  IconPuzzle,
  IconTimeline,
} from '@tabler/icons-react'

/** The pages that have a place in the menu, in its order. */
export const PAGES = [
  { to: '/', label: 'Now', icon: IconActivity, hasCues: false },
  { to: '/cues', label: 'Cues', icon: IconHandStop, hasCues: true },
  { to: '/calendar', label: 'Calendar', icon: IconCalendar, hasCues: false },
] as const

/** Those behind them, for which the menu of a phone has no room: there they are under "More". */
export const DESK_PAGES = [
  { to: '/runs', label: 'Runs', about: 'Every run there is or was', icon: IconHistory, role: 'VIEWER' },
  { to: '/definitions', label: 'Definitions', about: 'Events as they are written', icon: IconTimeline, role: 'VIEWER' },
] as const

/** What is needed less often, under "More"; offered to who may see it. */
export const MORE_PAGES = [
  { to: '/actions', label: 'Actions', about: 'What steps can call', icon: IconPuzzle, role: 'VIEWER' },
  { to: '/runner', label: 'Runner', about: 'The processes, and whether they keep up', icon: IconCpu, role: 'VIEWER' },
  { to: '/tokens', label: 'Tokens', about: 'Who may sign in', icon: IconKey, role: 'ADMIN' },
  { to: '/audit', label: 'Audit log', about: 'Who changed what', icon: IconClipboardList, role: 'ADMIN' },
] as const
