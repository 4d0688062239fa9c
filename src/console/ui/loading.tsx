import { Center, Loader } from '@mantine/core'

/** What stands where something is read for the first time. */
export function Loading({ what }: { what: string }) {
  return (
    <Center mih={160} role="status">
      <Loader size="sm" role="img" aria-label={`Reading ${what}`} />
    </Center>
  )
}
