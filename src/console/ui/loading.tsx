import { Center, Loader, VisuallyHidden } from '@mantine/core'

/** What stands where something is read for the first time. */
export function Loading({ what }: { what: string }) {
  return (
    <Center mih={160} role="status">
      <VisuallyHidden>Reading {what}</VisuallyHidden>
      <Loader size="sm" aria-hidden />
    </Center>
  )
}
