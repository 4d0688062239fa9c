import { Button, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { DefinitionPageFragment } from '../../generated/console/documents.ts'
import { useConnection } from '../api/connection-context.ts'
import runClasses from '../run/run.module.css'
import { useMay } from '../session/viewer-context.ts'
import { Countdown } from '../time/countdown.tsx'
import { Instant } from '../time/instant.tsx'
import { BackLink } from '../ui/back-link.tsx'
import { useAsk } from '../ui/control-host.tsx'
import { LinkButton } from '../ui/link-button.tsx'
import classes from './definition.module.css'
import { archiveControl, hasScheduleControl, rehearseControl, scheduleControl } from './definition-controls.ts'
import { DefinitionState } from './definition-state.tsx'
import { NextStartSigns } from './next-occurrence.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { scheduleWords } from './schedule-words.ts'

type HeadProps = { definition: DefinitionPageFragment; isPublishing: boolean; refresh(): void }

/** What the event is, when it comes next, and what may be done with it. */
export function DefinitionHead({ definition, isPublishing, refresh }: HeadProps) {
  const { title, slug, description, currentVersion, draft, timeZone } = definition
  const mayEdit = useMay('ADMIN') && definition.state !== 'ARCHIVED'
  const zone = currentVersion?.timeZone ?? timeZone
  const [next] = definition.nextStarts
  return (
    <div className={runClasses.headBox}>
      <BackLink to="/definitions">All definitions</BackLink>
      <div className={runClasses.headTop}>
        <Title order={1} fz="h2" className={runClasses.title}>
          {title === '' ? slug : title}
        </Title>
        <span className={runClasses.chips}>
          <DefinitionState definition={definition} />
        </span>
      </div>
      {description !== null && <p className={classes.description}>{description}</p>}
      <div className={runClasses.headMiddle}>
        <div>
          <p className={runClasses.waiting}>{scheduleWords((currentVersion ?? { spec: draft }).spec.schedule, zone)}</p>
          <p className={runClasses.times}>
            {next === undefined ? (
              whyNoneNext(definition)
            ) : (
              <>
                Next <Instant at={next.at} zone={zone} /> <NextStartSigns start={next} zone={zone} />
              </>
            )}
          </p>
        </div>
        {next !== undefined && <Countdown until={next.at} what="starts" size="large" />}
      </div>
      {mayEdit && <Controls {...{ definition, isPublishing, refresh }} />}
    </div>
  )
}

function whyNoneNext({ state, schedulePaused, versionVerified, currentVersion }: DefinitionPageFragment): string {
  if (state === 'ARCHIVED') return 'It is archived: nothing of it starts any more.'
  if (currentVersion === null) return 'Nothing of it can run before it is published.'
  if (schedulePaused) return 'Its schedule is paused: it makes and starts no runs.'
  if (currentVersion.spec.schedule.__typename === 'ManualSchedule') return ''
  return versionVerified
    ? 'Its schedule has nothing more to come.'
    : 'Its schedule is held: it makes no runs until the version is verified.'
}

function Controls({ definition, isPublishing, refresh }: HeadProps) {
  const { client } = useConnection()
  const ask = useAsk()
  const navigate = useNavigate()
  // In the address, so that the editor can lead to it.
  const setPublishing = (publish: boolean) =>
    void navigate({
      to: '/definitions/$slug',
      params: { slug: definition.slug },
      search: publish ? { publish } : {},
      replace: true,
    })
  const { slug, state, schedulePaused, currentVersion } = definition
  return (
    <section className={runClasses.controls} aria-label="Controls of the definition">
      <LinkButton to="/definitions/$slug/edit" params={{ slug }} size="md">
        Edit the draft
      </LinkButton>
      <Button variant="default" size="md" onClick={() => setPublishing(true)}>
        Publish …
      </Button>
      {state === 'READY' && currentVersion !== null && (
        <LinkButton to="/start/$slug" params={{ slug }} variant="default" size="md">
          Start a run …
        </LinkButton>
      )}
      {currentVersion !== null && (
        <Button
          variant="default"
          size="md"
          onClick={() =>
            ask(
              rehearseControl(client, {
                definition,
                onStart: (runId) => void navigate({ to: '/runs/$runId', params: { runId } }),
              }),
              refresh,
            )
          }
        >
          Rehearse …
        </Button>
      )}
      {hasScheduleControl(definition) && (
        <Button
          variant={schedulePaused ? 'filled' : 'default'}
          {...(schedulePaused ? { color: 'go' } : {})}
          size="md"
          onClick={() => ask(scheduleControl(client, definition), refresh)}
        >
          {schedulePaused ? 'Resume schedule …' : 'Pause schedule …'}
        </Button>
      )}
      <Button
        variant="default"
        size="md"
        className={runClasses.cancel}
        onClick={() => ask(archiveControl(client, definition), refresh)}
      >
        Archive …
      </Button>
      <PublishDialog
        definition={definition}
        opened={isPublishing}
        onClose={() => setPublishing(false)}
        onChange={refresh}
      />
    </section>
  )
}
