import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

/** A link that looks like a button. */
export const LinkButton = createLink(Button<'a'>)
