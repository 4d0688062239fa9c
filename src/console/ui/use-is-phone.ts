import { useMediaQuery } from '@mantine/hooks'

/** Whether the page is as narrow as a phone: the same width as in the styles. */
export const useIsPhone = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
