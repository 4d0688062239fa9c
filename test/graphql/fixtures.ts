import { formatId } from '../../src/domain/ids.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import type { Database } from '../../src/store/database.ts'
import { idempotencyKeyOf, mintId } from '../../src/store/ids.ts'
import { NOW } from './client.ts'

// Rows as a runner and the controls leave them; each function fills in what its test does not care for.

const SPEC = {
  schedule: { manual: true },
  phases: [
    {
      key: 'main',
      label: 'Main',
      steps: [{ actionId: 'core.log', actionVersion: 1, params: { message: 'hi' }, onFailure: 'SKIP' }],
    },
  ],
}

export type Event = { definitionId: string; versionId: string; id: string; slug: string }

/** A published event. */
export async function insertEvent(
  { prisma }: Database,
  { slug = `event-${mintId()}`, ...definition }: Partial<Prisma.DefinitionUncheckedCreateInput> = {},
): Promise<Event> {
  const [definitionId, versionId] = [mintId(), mintId()]
  const base = { timeZone: 'UTC', graceSeconds: 900, concurrencyKey: null, parameters: [] }
  await prisma.definition.create({
    data: { id: definitionId, slug, title: slug, draft: SPEC, ...base, createdAt: NOW, updatedAt: NOW, ...definition },
  })
  await prisma.version.create({
    data: {
      id: versionId,
      definitionId,
      version: 1,
      spec: SPEC,
      ...base,
      publishedAt: NOW,
      publishedByKind: 'USER',
      publishedByName: 'Mira',
    },
  })
  await prisma.definition.update({
    where: { id: definitionId },
    data: { state: definition.state ?? 'READY', currentVersionId: versionId },
  })
  return { definitionId, versionId, id: formatId('Definition', definitionId), slug }
}

/** A run of an event; `at` is its instant. */
export async function insertRun(
  { prisma }: Database,
  { definitionId, versionId }: Event,
  { at = NOW, ...run }: Partial<Prisma.RunUncheckedCreateInput> & { at?: Date } = {},
): Promise<string> {
  const id = mintId()
  await prisma.run.create({
    data: {
      id,
      definitionId,
      versionId,
      source: 'MANUAL',
      timeZone: 'UTC',
      occurrenceKey: at.toISOString(),
      occurrenceAt: at,
      scheduledFor: at,
      graceUntil: new Date(at.getTime() + 900_000),
      createdAt: NOW,
      startedByKind: 'USER',
      startedByName: 'Mira',
      ...run,
    },
  })
  return id
}

/** A step of a run, by default the first of its first phase. */
export async function insertStep(
  { prisma }: Database,
  runId: string,
  step: Partial<Prisma.StepUncheckedCreateInput> = {},
): Promise<string> {
  const id = mintId()
  await prisma.step.create({
    data: {
      id,
      runId,
      phase: 'main',
      phaseIndex: 0,
      seq: 0,
      actionId: 'core.cue',
      actionVersion: 1,
      params: {},
      onFailure: 'PAUSE',
      idempotencyKey: idempotencyKeyOf(runId, id),
      ...step,
    },
  })
  return id
}

/** Columns of a step that waits for a person. */
export const parkedSince = (at: Date) =>
  ({
    status: 'RUNNING',
    parked: true,
    parkedAt: at,
    instruction: 'Open the gates',
    attempts: 1,
    claimNo: 1,
    startedAt: at,
  }) as const

/** Appends lines to a run's log, and answers the number of the last. */
export async function appendLines({ prisma }: Database, runId: string, texts: readonly string[]): Promise<number> {
  const { lastLine } = await prisma.run.findUniqueOrThrow({ where: { id: runId } })
  await prisma.$transaction([
    prisma.logLine.createMany({
      data: texts.map((text, index) => ({
        runId,
        line: lastLine + 1 + index,
        at: NOW,
        kind: 'step.message',
        actorKind: 'SYSTEM' as const,
        actorName: 'Cuelight',
        detail: { message: text },
        text,
      })),
    }),
    prisma.run.update({ where: { id: runId }, data: { lastLine: lastLine + texts.length } }),
  ])
  return lastLine + texts.length
}
