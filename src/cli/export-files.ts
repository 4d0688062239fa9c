import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments, stringify } from 'yaml'
import { z } from 'zod'
import { isObject } from '../domain/plain-object.ts'
import { readYaml } from '../domain/yaml-document.ts'
import { makeFolder } from '../store/make-folder.ts'
import { askApi } from './api.ts'
import { DEFINITION, Definition, type Form, formOf, formOfInput } from './definition-form.ts'
import { wrongUsage } from './failure.ts'
import { eventNamed, noEvent } from './find-event.ts'
import { mergeYaml } from './merge-yaml.ts'
import { type ClientOptions, inSession, type Session } from './session.ts'

const ENDINGS = ['yaml', 'yml', 'json']

export type ExportOptions = ClientOptions & { dir?: string }

/** Writes the events of a server as files that `apply` takes, or prints them. */
export function exportFiles(slugs: string[], { dir, ...options }: ExportOptions): Promise<void> {
  return inSession(options, async (session) => {
    const forms = slugs.length === 0 ? await allForms(session) : await namedForms(session, slugs)
    if (dir === undefined) return session.answer(forms, () => forms.map(textOf).join('---\n').trimEnd())
    const written = await onDisk(dir, async () => {
      await makeFolder(dir)
      return forms.map((form) => write(dir, form))
    })
    session.answer(written, () => written.map(({ file, change }) => `${file}: ${change}`).join('\n'))
  })
}

async function onDisk<T>(dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw wrongUsage(
      `${dir} cannot be written to (${error.message}); give another folder as --dir, or make room there.`,
    )
  }
}

const textOf = (form: Form) => stringify(form, { lineWidth: 0 })

async function namedForms({ config }: Session, slugs: readonly string[]): Promise<Form[]> {
  const forms: Form[] = []
  for (const slug of slugs) {
    const { definition } = await askApi(config, {
      document: `query ($id: ID, $slug: String) { definition(id: $id, slug: $slug) ${DEFINITION} }`,
      variables: eventNamed(slug),
      shape: z.object({ definition: Definition.nullable() }),
    })
    if (definition === null) throw noEvent(slug)
    forms.push(formOf(definition))
  }
  return forms
}

const Page = z.object({
  definitions: z.object({
    edges: z.array(z.object({ node: Definition })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

async function allForms({ config }: Session): Promise<Form[]> {
  const forms: Form[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { definitions }: z.infer<typeof Page> = await askApi(config, {
      document: `query ($after: String) {
        definitions(after: $after, filter: { state: [DRAFT, READY] }) { edges { node ${DEFINITION} } pageInfo { hasNextPage endCursor } }
      }`,
      variables: { after },
      shape: Page,
    })
    forms.push(...definitions.edges.map(({ node }) => formOf(node)))
    after = definitions.pageInfo.endCursor
    more = definitions.pageInfo.hasNextPage
  }
  return forms
}

/** An empty file. */
const NOTHING = { contents: null, problems: [] }

/** Writes a definition where its file is, or will be. One that says the same already is not touched. */
function write(dir: string, form: Form): { file: string; change: 'created' | 'updated' | 'unchanged' } {
  const names = ENDINGS.map((ending) => join(dir, `${form.slug}.${ending}`))
  const file = names.find((name) => existsSync(name))
  if (file === undefined) {
    const [created = ''] = names
    writeFileSync(created, textOf(form))
    return { file: created, change: 'created' }
  }
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { stringKeys: true })
  const [document, ...others] = Array.isArray(documents) ? documents : []
  const { contents: before, problems } = document === undefined ? NOTHING : readYaml(document)
  if (others.length > 0 || problems.length > 0 || (before !== null && !isObject(before))) {
    throw wrongUsage(
      `${file} cannot be written over: it holds several definitions, none, or no YAML; move it, or correct it.`,
    )
  }
  const { $schema, ...fields } = before ?? {}
  if (isDeepStrictEqual(formOfInput(fields), form)) return { file, change: 'unchanged' }
  // By what an editor checks it stays.
  const kept = $schema === undefined ? form : { $schema, ...form }
  if (document !== undefined) mergeYaml(document, kept)
  const text = file.endsWith('.json')
    ? `${JSON.stringify(kept, null, 2)}\n`
    : (document?.toString({ lineWidth: 0 }) ?? textOf(form))
  writeFileSync(file, text)
  return { file, change: 'updated' }
}
