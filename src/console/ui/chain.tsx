import { Fragment } from 'react'

/** From the whole to the part, each of which keeps its direction to itself: `Doors › step 2 › Greeting`. */
export function Chain({ parts }: { parts: readonly string[] }) {
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two parts may be called the same
    <Fragment key={at}>
      {at > 0 && ' › '}
      <bdi>{part}</bdi>
    </Fragment>
  ))
}
