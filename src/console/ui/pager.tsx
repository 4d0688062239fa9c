import { Button } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'
import type { TurningFragment } from '../../generated/console/documents.ts'
import type { PagePlace } from './page-place.ts'
import classes from './ui.module.css'

type PagerProps = {
  /** What is listed: "runs". */
  what: string
  page: TurningFragment
  onTurn(place: PagePlace): void
}

/** Turns the pages of a list that has its newest first. Nothing where all is on one page. */
export function Pager({ what, page, onTurn }: PagerProps) {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page
  if (!hasNextPage && !hasPreviousPage) return null
  return (
    <nav aria-label={`Pages of ${what}`} className={classes.pager}>
      <Button
        variant="default"
        disabled={!hasPreviousPage}
        leftSection={<IconChevronsLeft size={16} aria-hidden />}
        onClick={() => onTurn({})}
      >
        Newest
      </Button>
      <Button
        variant="default"
        disabled={!hasPreviousPage || startCursor === null}
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        onClick={() => startCursor !== null && onTurn({ before: startCursor })}
      >
        Newer
      </Button>
      <Button
        variant="default"
        disabled={!hasNextPage || endCursor === null}
        rightSection={<IconChevronRight size={16} aria-hidden />}
        onClick={() => endCursor !== null && onTurn({ after: endCursor })}
      >
        Older
      </Button>
    </nav>
  )
}
