import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import classes from './ui.module.css'

const AnchorBack = ({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={classes.back}>
    {children}
  </a>
)

/** A link to what a page belongs to, above its title. */
export const BackLink = createLink(AnchorBack)
