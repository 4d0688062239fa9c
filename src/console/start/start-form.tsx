import { Autocomplete, Button, Group, Radio, Stack, Switch, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import {
  type RefusalFragment,
  type StartableEventFragment,
  StartFormDocument,
  StartRunDocument,
  type StartRunInput,
} from '../../generated/console/documents.ts'
import { act } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { serverNow } from '../api/server-clock.ts'
import { fromLocalField, toLocalField } from '../time/local-field.ts'
import { BackLink } from '../ui/back-link.tsx'
import { InstantField } from '../ui/instant-field.tsx'
import { Notice } from '../ui/notice.tsx'
import { EventFacts } from './event-facts.tsx'
import { ParameterField } from './parameter-field.tsx'
import classes from './start.module.css'
import { StartRequest } from './start-request.ts'

type StartFormProps = {
  event: StartableEventFragment
  version: NonNullable<StartableEventFragment['currentVersion']>
  /** Where it ran before. */
  scopes: readonly string[]
  at: string | null
  /** The server knows something else than the form: it has to be read again. */
  onRefused(): void
}

const HOUR_MS = 3_600_000

/** What a run is started with. What the server refuses stands at the field that it is about. */
export function StartForm({ event, version, scopes, at: begin, onRefused }: StartFormProps) {
  const { client } = useConnection()
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const [request] = useState(() => new StartRequest())
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [scope, setScope] = useState('')
  const [isLater, setLater] = useState(begin !== null)
  const [filled] = useState(() => begin ?? nextHour())
  const [at, setAt] = useState(() => toLocalField(filled))
  const [rehearsal, setRehearsal] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [unanswered, setUnanswered] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<RefusalFragment | null>(null)
  const { fields, rest } = sortIssues(refusal, ['scope', 'scheduledFor', ...version.parameters.map(pathOf)])

  useEffect(() => {
    if (refusal !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refusal])

  /** The version that a run is of now; null where that is not known. */
  const publishedNow = async () => {
    const read = await client.query(StartFormDocument, { slug: event.slug }, { requestPolicy: 'network-only' })
    return read.data?.definition?.currentVersion ?? null
  }

  const submit = async (submitted: FormEvent) => {
    submitted.preventDefault()
    if (isBusy) return
    const instant = isLater ? fromLocalField(at, filled) : null
    if (isLater && instant === null) return setRefusal(missingInstant)
    setBusy(true)
    setUnanswered(null)
    setRefusal(null)
    const published = await publishedNow()
    if (published !== null && published.id !== version.id) {
      setBusy(false)
      setUnanswered(`Version ${published.version} was published meanwhile. Look at what it does, and press again.`)
      return onRefused()
    }
    const given = version.parameters.flatMap(({ name }) => (values[name] ? [[name, values[name]] as const] : []))
    const input: StartRunInput = {
      definitionId: event.id,
      scope: scope.trim(),
      params: Object.fromEntries(given),
      rehearsal,
      ...(instant === null ? {} : { scheduledFor: instant }),
    }
    const outcome = await act(client, StartRunDocument, { input: request.named(input) })
    setBusy(false)
    if (outcome.kind === 'unknown') return setUnanswered(outcome.message)
    if (outcome.kind === 'refused') {
      setRefusal(outcome.refusal)
      return onRefused()
    }
    const { created, run } = outcome.payload
    notifications.show({
      message: created ? (
        <>
          <bdi>{event.title}</bdi>: {DONE[doing(isLater, rehearsal)]}
        </>
      ) : (
        'This run was there already; no second one was made.'
      ),
      color: created ? 'teal' : 'blue',
      icon: <IconCheck size={18} aria-hidden />,
    })
    await navigate({ to: '/runs/$runId', params: { runId: run.id } })
  }

  return (
    <>
      <BackLink to="/start">Another event</BackLink>
      <Title order={1} fz="h2" className={classes.title}>
        Start <bdi>{event.title}</bdi>
      </Title>
      <div className={classes.columns}>
        <form ref={form} onSubmit={(submitted) => void submit(submitted)} noValidate className={classes.form}>
          <Stack gap="lg">
            {version.parameters.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                value={values[parameter.name] ?? ''}
                error={fields.get(pathOf(parameter)) ?? null}
                onChange={(value) => setValues((before) => ({ ...before, [parameter.name]: value }))}
              />
            ))}
            <Autocomplete
              label="Scope"
              description="Where it happens: a shard, a region, a channel. Leave it empty where there is none."
              size="md"
              data={[...scopes]}
              value={scope}
              error={fields.get('scope') ?? null}
              onChange={setScope}
            />
            <Radio.Group
              label="When"
              size="md"
              value={isLater ? 'later' : 'now'}
              onChange={(value) => setLater(value === 'later')}
            >
              <Group mt={6} gap="lg">
                <Radio value="now" label="Now" size="md" />
                <Radio value="later" label="At an instant" size="md" />
              </Group>
            </Radio.Group>
            {isLater && (
              <InstantField
                label="Start"
                value={at}
                filled={filled}
                zone={version.timeZone}
                error={fields.get('scheduledFor') ?? null}
                onChange={setAt}
              />
            )}
            <Switch
              label="Rehearsal"
              description="Real timing, gates and cues, and nothing in the world is changed."
              size="md"
              withThumbIndicator={false}
              checked={rehearsal}
              onChange={(changed) => setRehearsal(changed.currentTarget.checked)}
            />
            {rest !== '' && (
              <Notice tone="bad" title="It was not started">
                {rest}
              </Notice>
            )}
            {unanswered !== null && (
              <Notice tone="bad" title="Not known to be started">
                {unanswered} What you wrote is kept; pressing again starts no second one.
              </Notice>
            )}
            <Group justify="flex-end">
              <Button type="submit" size="lg" color="go" loading={isBusy}>
                {ACTION[doing(isLater, rehearsal)]}
              </Button>
            </Group>
          </Stack>
        </form>
        <EventFacts event={event} version={version} />
      </div>
    </>
  )
}

const pathOf = ({ name }: { name: string }): string => `params.${name}`

const nextHour = (): string => new Date(Math.ceil(serverNow() / HOUR_MS) * HOUR_MS).toISOString()

type Doing = 'start' | 'schedule' | 'rehearse' | 'scheduleRehearsal'

function doing(isLater: boolean, rehearsal: boolean): Doing {
  if (isLater) return rehearsal ? 'scheduleRehearsal' : 'schedule'
  return rehearsal ? 'rehearse' : 'start'
}

const ACTION = {
  start: 'Start it now',
  schedule: 'Schedule it',
  rehearse: 'Rehearse it now',
  scheduleRehearsal: 'Schedule the rehearsal',
} as const

const DONE = {
  start: 'started.',
  schedule: 'scheduled.',
  rehearse: 'the rehearsal is started.',
  scheduleRehearsal: 'the rehearsal is scheduled.',
} as const

const missingInstant: RefusalFragment = {
  __typename: 'InvalidInputError',
  code: 'INVALID_INPUT',
  message: 'Choose a day and a time.',
  issues: [{ path: 'scheduledFor', message: 'Choose a day and a time.' }],
}

/** What a refusal says of each field of the form, and what is left to say of none. */
function sortIssues(
  refusal: RefusalFragment | null,
  paths: readonly string[],
): { fields: ReadonlyMap<string, string>; rest: string } {
  if (refusal === null) return { fields: new Map(), rest: '' }
  if (refusal.__typename !== 'InvalidInputError') return { fields: new Map(), rest: refusal.message }
  const known = new Set(paths)
  const rest = refusal.issues.filter(({ path }) => !known.has(path)).map(({ message }) => message)
  return { fields: new Map(refusal.issues.map(({ path, message }) => [path, message])), rest: rest.join(' ') }
}
