import { count, table } from '../tables.ts'
import type { Apart } from './figures.ts'

/** What stands in the way, and what else was looked at closer. */
export function apartReport({ work, starts, readers, rush, hourly, parts }: Apart): string[] {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const { asTheyAre, withoutDisk } = starts
  const { records, longest } = work
  return [
    '## Taken apart',
    '',
    ...table(
      ['what', ' measured', ' in each round'],
      [
        ['the processors of the machine are busy while runs of one step are worked off', percent(work.busy), ''],
        ['of what the process does meanwhile, collecting garbage', percent(work.collecting), ''],
        ['of the same, the function that takes most', `${longest.name}: ${percent(longest.share)}`, ''],
        [
          'records of the write-ahead log for such a run; of them its lines, and entries of it and its step in indexes',
          `${records.all}; ${records.lines}, ${records.entries}`,
          '',
        ],
        ...Object.entries({ made: 'making', 'taken along': 'repinning' } as const).flatMap(([word, phase]) => {
          const [late, without] = [asTheyAre[phase], withoutDisk[phase]]
          return [
            [`starts while upcoming runs are ${word}, 99th percentile`, `${late.p99Ms} ms`, late.rounds.join('; ')],
            [
              'of the latest twentieth of them, until the statement is sent, while it is under way, until the call',
              `${late.slowest.sent}, ${late.slowest.underWay}, ${late.slowest.called} ms`,
              '',
            ],
            ['the same where no commit waits for the disk', `${without.p99Ms} ms`, without.rounds.join('; ')],
            [
              'the processors are busy meanwhile, with and without',
              `${percent(late.busy)} and ${percent(without.busy)}`,
              '',
            ],
          ]
        }),
        ...Object.entries(readers).map(([number, { p99Ms, rounds }]) => [
          `a log at 1,000 lines/s to ${count(Number(number))} subscribers, 99th percentile of ten of them`,
          `${p99Ms} ms`,
          rounds.join('; '),
        ]),
        [
          '1,000 runs of 5 steps that are due at once: the first action of the first, of half of them, of the last; all over',
          `${rush.first}, ${rush.half}, ${rush.last}; ${rush.over} ms`,
          rush.rounds.join('; '),
        ],
        ...hourly.map(({ steps, runs, seconds, rounds }) => [
          `${count(runs)} upcoming runs of an hourly event taken along, steps each: ${steps}`,
          `${seconds} s`,
          rounds.join('; '),
        ]),
      ],
    ),
    '',
    ...table(
      ['a log of 1,100,000 lines of 100,000 runs', ' in one table', ' in twelve parts'],
      [
        ["a run's log is read, the median", `${parts.whole.readMs} ms`, `${parts.divided.readMs} ms`],
        ['the same, its month said', `${parts.whole.readWithMonthMs} ms`, `${parts.divided.readWithMonthMs} ms`],
        ...(['ms', 'walBytes'] as const).map((what) => [
          `a month of ${count(parts.whole.month.lines)} lines is got rid of: ${what === 'ms' ? 'ms' : 'bytes of write-ahead log'}`,
          ...[parts.whole, parts.divided].map(({ month }) => count(month[what])),
        ]),
      ],
    ),
    '',
  ]
}
