import { createContext, use } from 'react'
import { includesRole } from '../../domain/access.ts'
import type { Role, ViewerQuery } from '../../generated/console/documents.ts'

export type Viewer = NonNullable<ViewerQuery['viewer']>

export const ViewerContext = createContext<Viewer | null>(null)

/** Who is signed in. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (viewer === null) throw new Error('There is no viewer outside of a session.')
  return viewer
}

/** Whether who is signed in may do what needs this role. */
export const useMay = (role: Role): boolean => includesRole(useViewer().role, role)
