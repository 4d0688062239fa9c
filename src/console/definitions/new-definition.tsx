import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateDefinitionDocument } from '../../generated/console/documents.ts'
import { act, messageOf } from '../api/act.ts'
import { useConnection } from '../api/connection-context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { DialogForm } from '../ui/dialog-form.tsx'

const MAX_SLUG = 64

/** Asks what a new event is called, and goes to its draft. What was written stays until there is one. */
export function NewDefinition({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const { client } = useConnection()
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [ownSlug, setOwnSlug] = useState<string | null>(null)
  const [problems, setProblems] = useState<{ title?: string; slug?: string; whole?: string }>({})
  const [isBusy, setBusy] = useState(false)
  const slug = ownSlug ?? slugOf(title)

  const submit = async () => {
    if (title.trim() === '') return setProblems({ title: 'Give the event a name.' })
    setBusy(true)
    setProblems({})
    const spec = { schedule: { manual: true }, phases: [{ key: 'start', label: 'Start', steps: [] }] }
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const outcome = await act(client, CreateDefinitionDocument, {
      input: { slug, title: title.trim(), timeZone, spec },
    })
    setBusy(false)
    if (outcome.kind === 'unknown') return setProblems({ whole: outcome.message })
    if (outcome.kind === 'refused') return setProblems({ slug: messageOf(outcome.refusal) })
    void navigate({ to: '/definitions/$slug/edit', params: { slug: outcome.payload.definition.slug } })
  }

  return (
    <Dialog opened={opened} title="New definition" isBusy={isBusy} onClose={onClose}>
      <DialogForm
        action="Create it"
        problem={problems.whole ?? null}
        isBusy={isBusy}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextInput
          label="Title"
          description="The event's name for people."
          size="md"
          required
          value={title}
          error={problems.title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Name for addresses and files"
          description="Lower-case letters, digits and -. It cannot be changed later."
          size="md"
          required
          value={slug}
          error={problems.slug}
          onChange={(event) => setOwnSlug(event.currentTarget.value)}
        />
      </DialogForm>
    </Dialog>
  )
}

/** A name for addresses made of one for people. */
function slugOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_SLUG)
    .replace(/-+$/, '')
}
