import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { z } from 'zod'
import { askApi, mutate } from './api.ts'
import {
  type DefinitionFile,
  inOrderOfPlace,
  ONLY_A_WARNING,
  type Problem,
  pathInInput,
  readDefinitionFiles,
  showProblem,
  showWarning,
} from './definition-file.ts'
import { DEFINITION, Definition, formOf, formOfInput } from './definition-form.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { lineDiff } from './line-diff.ts'
import { type ClientOptions, inSession, type Session } from './session.ts'
import { shapeProblems } from './shape-problems.ts'

type Change = 'created' | 'updated' | 'unchanged'
type Planned = { file: DefinitionFile; existing: Definition | null; change: Change }

export type ApplyOptions = ClientOptions & { dryRun?: boolean }

/** Makes the events of a server what the files say, and publishes them; says what it did, or everything that is wrong. */
export function applyFiles(files: string[], { dryRun, ...options }: ApplyOptions): Promise<void> {
  return inSession(options, async (session) => {
    const { definitions, problems: unread } = readDefinitionFiles(files)
    const misshapen = []
    for (const file of definitions) {
      // Where a file cannot even be read, that is what has to be told, whatever the server says.
      const told = shapeProblems(session, file)
      misshapen.push(...(unread.length === 0 ? await told : await told.catch(() => [])))
    }
    refuseWith([...unread, ...misshapen], {
      outcome: 'Nothing was changed.',
      exit: unread.length > 0 ? EXIT.USAGE : EXIT.REFUSED,
    })
    const plan: Planned[] = []
    for (const file of definitions) plan.push(await planOf(session, file))
    if (dryRun === true) return showPlan(session, plan)

    const saved = []
    for (const planned of plan) saved.push(await save(session, planned))
    for (const warning of saved.flatMap((it) => it.warnings)) session.remark(showWarning(warning))
    const kept = saved.some(({ draft }) => draft !== null)
    refuseWith(
      saved.flatMap((it) => it.problems),
      {
        outcome: `${kept ? 'What could be saved is saved as drafts.' : 'Nothing was saved.'} Nothing was published.`,
        warnings: saved.flatMap((it) => it.warnings),
      },
    )
    const published = []
    for (const it of saved) if (it.draft !== null) published.push(await publish(session, { ...it, draft: it.draft }))
    const done = published.flatMap(({ answer }) => (answer === null ? [] : [answer]))
    if (done.length > 0) session.answer(done, () => done.map(sayPublished).join('\n'))
    const problems = published.flatMap((it) => it.problems)
    const outcomes = [
      done.length < published.length ? 'What the server refused is saved as a draft and not published.' : null,
      done.some(({ verified }) => !verified)
        ? 'What did not pass its verification is published: it can be started by hand, and its schedule is held.'
        : null,
    ]
    refuseWith(problems, { outcome: outcomes.filter((it) => it !== null).join('\n') })
  })
}

/** Throws every problem at once, each with its place, where there are any. */
function refuseWith(
  problems: readonly Problem[],
  { outcome, exit = EXIT.REFUSED, warnings = [] }: { outcome: string; exit?: 2 | 3; warnings?: readonly Problem[] },
): void {
  if (problems.length === 0) return
  const sorted = inOrderOfPlace(problems)
  const message = [...sorted.map(showProblem), outcome].join('\n')
  throw new CommandFailure(message, { exit, code: 'INVALID_INPUT', detail: { problems: sorted, warnings } })
}

async function planOf({ config }: Session, file: DefinitionFile): Promise<Planned> {
  const { definition } = await askApi(config, {
    document: `query ($slug: String!) { definition(slug: $slug) ${DEFINITION} }`,
    variables: { slug: file.input.slug },
    shape: z.object({ definition: Definition.nullable() }),
  })
  if (definition === null) return { file, existing: null, change: 'created' }
  const same = isDeepStrictEqual(formOf(definition), formOfInput(file.input))
  return { file, existing: definition, change: same ? 'unchanged' : 'updated' }
}

async function showPlan(session: Session, plan: readonly Planned[]): Promise<void> {
  // Loaded only here: the rules of drafts come with it.
  const { draftCheck } = await import('./draft-check.ts')
  const check = await draftCheck(session.config)
  const shown = plan.map(({ file, existing, change }) => {
    const [before, after] = [existing === null ? '' : textOf(formOf(existing)), textOf(formOfInput(file.input))]
    const { issues, warnings } = check(file)
    const answer = { file: file.file, slug: String(file.input.slug), change, diff: lineDiff(before, after) }
    return {
      answer: { ...answer, warnings: problemsAt(file, warnings) },
      problems: [
        ...(existing?.state === 'ARCHIVED' ? [file.problemAt('slug', ARCHIVED)] : []),
        ...problemsAt(file, issues),
      ],
    }
  })
  const style = (line: string) => (line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim')
  const answers = shown.map(({ answer }) => answer)
  session.answer(answers, () =>
    answers
      .map(({ slug, change, diff }) =>
        [`${slug}: ${WOULD[change]}`, ...diff.map((line) => session.paint(style(line), line))].join('\n'),
      )
      .join('\n'),
  )
  for (const warning of answers.flatMap(({ warnings }) => warnings)) session.remark(showWarning(warning))
  refuseWith(
    shown.flatMap(({ problems }) => problems),
    { outcome: 'Nothing was changed, and like this nothing would be published.' },
  )
}

const ARCHIVED = 'The event of this slug is archived, and takes no changes any more; give another slug.'
const problemsAt = (file: DefinitionFile, issues: readonly { path: string; message: string }[]): Problem[] =>
  issues.map(({ path, message }) => file.problemAt(pathInInput(path), message))
const WOULD = { created: 'would be created', updated: 'would be updated', unchanged: 'is as it is in the file' }
const textOf = (form: object) => stringify(form, { lineWidth: 0 })

const Draft = z.object({
  definition: z.object({
    id: z.string(),
    updatedAt: z.string(),
    draftIssues: z.array(z.object({ path: z.string(), message: z.string() })),
    draftWarnings: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
})
type Draft = z.infer<typeof Draft>['definition']
const DRAFT = '{ definition { id updatedAt draftIssues { path message } draftWarnings { path message } } }'

type Saved = { planned: Planned; draft: Draft | null; problems: Problem[]; warnings: Problem[] }

/** Fields that a file leaves out are as they would be in a new definition. */
const CLEARED = { description: null, timeZone: null, graceSeconds: null, concurrencyKey: null, parameters: null }

async function save({ config }: Session, planned: Planned): Promise<Saved> {
  const { file, existing } = planned
  const { slug: _slug, ...fields } = file.input
  try {
    const { definition } =
      existing === null
        ? await mutate(config, { name: 'createDefinition', input: file.input, payload: DRAFT, shape: Draft })
        : await mutate(config, {
            name: 'updateDefinition',
            input: { ...CLEARED, ...fields, id: existing.id, ifUpdatedAt: existing.updatedAt },
            payload: DRAFT,
            shape: Draft,
          })
    const { draftIssues, draftWarnings } = definition
    return {
      planned,
      draft: definition,
      problems: problemsAt(file, draftIssues),
      warnings: problemsAt(file, draftWarnings),
    }
  } catch (error) {
    return { planned, draft: null, problems: problemsOf(file, error), warnings: [] }
  }
}

const Published = z.object({
  version: z.object({ version: z.number() }),
  verification: z.object({
    passed: z.boolean(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
    steps: z.array(z.object({ path: z.string(), finding: z.string(), message: z.string() })),
  }),
})
const PUBLISHED =
  '{ version { version } verification { passed issues { path message } steps { path finding message } } }'

type Answer = {
  file: string
  slug: string
  change: Change
  version: number
  newVersion: boolean
  verified: boolean
  warnings: Problem[]
}

async function publish({ config, remark }: Session, { planned, draft, warnings }: Saved & { draft: Draft }) {
  const { file, existing, change } = planned
  try {
    const { version, verification } = await mutate(config, {
      name: 'publishDefinition',
      input: { id: draft.id, ifUpdatedAt: draft.updatedAt },
      payload: PUBLISHED,
      shape: Published,
    })
    const found = [
      ...verification.issues.map((it) => ({
        ...it,
        finding: it.message.startsWith(ONLY_A_WARNING) ? 'WARNING' : 'ERROR',
      })),
      ...verification.steps.filter(({ finding }) => finding !== 'OK'),
    ].map(({ path, finding, message }) => ({ finding, problem: file.problemAt(pathInInput(path), message) }))
    const serious = found.filter(({ finding }) => !verification.passed && finding === 'ERROR')
    const others = found.filter((it) => !serious.includes(it)).map(({ problem }) => problem)
    for (const warning of others) remark(showWarning(warning))
    const answer: Answer = {
      file: file.file,
      slug: String(file.input.slug),
      change,
      version: version.version,
      newVersion: version.version !== existing?.currentVersion?.version,
      verified: verification.passed,
      warnings: [...warnings, ...others],
    }
    return { answer, problems: serious.map(({ problem }) => problem) }
  } catch (error) {
    return { answer: null, problems: problemsOf(file, error) }
  }
}

function sayPublished({ slug, change, version, newVersion }: Answer): string {
  return `${slug}: ${change}; ${newVersion ? `version ${version} is published` : `version ${version} is the same already`}.`
}

const Issues = z.array(z.object({ path: z.string(), message: z.string() }))

/** What the server refused of one file, so that the others are looked at too; what concerns all is thrown. */
function problemsOf(file: DefinitionFile, error: unknown): Problem[] {
  const mine = error instanceof CommandFailure && ['INVALID_INPUT', 'CONFLICT', 'NOT_FOUND'].includes(error.code)
  if (!mine) throw error
  const issues = Issues.safeParse(error.detail.issues).data ?? [{ path: '', message: error.message }]
  return problemsAt(file, issues)
}
