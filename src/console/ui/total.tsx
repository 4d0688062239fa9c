import classes from './ui.module.css'

const count = new Intl.NumberFormat('en')

/** How many a list has on all of its pages; null: more than are counted. It is read out when it changes. */
export function Total({ count: total, one, many }: { count: number | null; one: string; many: string }) {
  return (
    <p role="status" className={classes.total}>
      {total === null
        ? `More than ${count.format(10_000)} ${many}`
        : total === 1
          ? `1 ${one}`
          : `${count.format(total)} ${many}`}
    </p>
  )
}
