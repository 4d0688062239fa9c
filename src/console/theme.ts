import { type CSSVariablesResolver, colorsTuple, createTheme, Notification } from '@mantine/core'

/**
 * The look of the console: calm surfaces, one colour for what may be pressed, and strong ones for what needs somebody.
 * Every pair of text and ground has a contrast of 4.5 at least, in light and in dark; test/console measures it.
 */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } }),
  },
  colors: {
    /** Goes on: done, resume. */
    go: colorsTuple('#187a3d'),
    /** Ends or leaves something for good. */
    stop: colorsTuple('#bf2a2a'),
    dark: [
      '#e3e8ee',
      '#c3ccd6',
      '#9aa7b5',
      '#6b7887',
      '#3d4855',
      '#2c3540',
      '#1e252e',
      '#151b22',
      '#0f141a',
      '#0a0e13',
    ],
  },
})

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f3f5f7',
    '--mantine-color-text': '#161c23',
    '--mantine-color-dimmed': '#52606d',
    '--mantine-color-placeholder': '#66727e',
    '--mantine-color-error': '#b42121',
    '--mantine-color-anchor': '#0b5fb0',
    '--mantine-color-default-border': '#c5cdd6',
    '--mantine-color-blue-light-hover': '#c3e5ff',
  },
  dark: {
    '--mantine-color-placeholder': '#8b98a6',
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-anchor': '#8cc4ff',
  },
})
