import { Accordion, TextInput } from '@mantine/core'
import { IconBolt, IconPuzzleOff, IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import {
  ActionsDocument,
  type RegisteredActionFragment,
  type RegisteredTriggerFragment,
} from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Section } from '../ui/section.tsx'
import { Unread } from '../ui/unread.tsx'
import { ActionChips, ActionDetail } from './action-detail.tsx'
import classes from './actions.module.css'
import { TriggerDetail } from './trigger-detail.tsx'
import { useUses } from './uses.ts'

const NOTHING = {}

/** What modules bring: the actions that steps call, what an admin allows of them, and the triggers that gates wait for. */
export function ActionsPage() {
  usePageTitle('Actions')
  const { data, error, refresh } = useLive({ query: ActionsDocument, variables: NOTHING }, null)
  useLookAgain(refresh)
  const uses = useUses()
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const isFound = matching(search)
  const actions = data?.actions.filter(isFound) ?? []
  const triggers = data?.triggers.filter(isFound) ?? []
  const modules = [...new Set([...actions, ...triggers].map(({ module }) => module))]

  return (
    <>
      <PageHead
        title="Actions"
        aside={
          <TextInput
            aria-label="Search actions and triggers"
            placeholder="Search"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            className={classes.search}
          />
        }
      >
        What this server's modules bring: actions for steps, triggers for gates.
      </PageHead>
      {data === undefined && <Unread what="the actions" error={error} />}
      {data !== undefined && modules.length === 0 && (
        <Empty icon={IconPuzzleOff} title="Nothing matches" level={2}>
          <p>Search for a part of an id, a name or a description, or leave the field empty to see everything.</p>
        </Empty>
      )}
      {modules.map((module) => (
        <Section
          key={module}
          title={module}
          aside={module === 'core' && <span className={classes.dim}>Comes with Cuelight</span>}
        >
          <Accordion
            order={3}
            variant="contained"
            chevronPosition="left"
            value={opened}
            onChange={setOpened}
            classNames={{ item: classes.item, control: classes.control, label: classes.label }}
          >
            {actions.filter(of(module)).map((action) => (
              <Row key={action.id} row={action} kind="action" aside={<ActionChips action={action} />}>
                {opened === `action:${action.id}` && <ActionDetail action={action} uses={uses} onChange={refresh} />}
              </Row>
            ))}
            {triggers.filter(of(module)).map((trigger) => (
              <Row key={trigger.id} row={trigger} kind="trigger" aside={<TriggerChip />}>
                {opened === `trigger:${trigger.id}` && <TriggerDetail trigger={trigger} uses={uses} />}
              </Row>
            ))}
          </Accordion>
        </Section>
      ))}
    </>
  )
}

type Registered = RegisteredActionFragment | RegisteredTriggerFragment

const of = (module: string) => (registered: Registered) => registered.module === module

function matching(search: string) {
  const wanted = search.trim().toLowerCase()
  return ({ id, label, description }: Registered) =>
    [id, label, description ?? ''].some((text) => text.toLowerCase().includes(wanted))
}

function TriggerChip() {
  return (
    <Chip tone="calm" icon={IconBolt}>
      Trigger
    </Chip>
  )
}

type RowProps = {
  row: Registered
  kind: 'action' | 'trigger'
  aside: ReactNode
  children: ReactNode
}

function Row({ row: { id, label, description }, kind, aside, children }: RowProps) {
  return (
    <Accordion.Item value={`${kind}:${id}`}>
      <Accordion.Control>
        <span className={classes.head}>
          <span className={classes.name}>{label}</span>
          <code className={classes.id}>{id}</code>
          <span className={classes.aside}>{aside}</span>
        </span>
        {description !== null && <span className={classes.description}>{description}</span>}
      </Accordion.Control>
      <Accordion.Panel>{children}</Accordion.Panel>
    </Accordion.Item>
  )
}
