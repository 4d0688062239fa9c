import { IconActivity, IconHandStop, IconPuzzle } from '@tabler/icons-react'

/** The pages that have a place in the menu, in its order. */
export const PAGES = [
  { to: '/', label: 'Now', icon: IconActivity, hasCues: false },
  { to: '/cues', label: 'Cues', icon: IconHandStop, hasCues: true },
] as const

/** What is needed less often, under "More"; offered to who may see it. */
export const MORE_PAGES = [
  { to: '/actions', label: 'Actions', about: 'What steps can call', icon: IconPuzzle, role: 'VIEWER' },
] as const
