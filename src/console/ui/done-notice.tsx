import { IconCheck } from '@tabler/icons-react'

/** What is shown for a moment once something is done. */
export const doneNotice = (message: string) => ({ message, color: 'teal', icon: <IconCheck size={18} aria-hidden /> })
