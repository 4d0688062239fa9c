import { Group, Text } from '@mantine/core'

/** The name and its sign. */
export function Brand() {
  return (
    <Group gap={8} wrap="nowrap" component="span">
      <svg width="22" height="22" viewBox="0 0 64 64" aria-hidden="true">
        <circle cx="32" cy="32" r="25" fill="none" stroke="#d99a1c" strokeWidth="9" />
        <circle cx="32" cy="32" r="10" fill="#d99a1c" />
      </svg>
      <Text component="span" fw={700} fz="lg" lts="-0.01em">
        Cuelight
      </Text>
    </Group>
  )
}
