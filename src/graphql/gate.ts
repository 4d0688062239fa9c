import { waitedSeconds } from '../domain/gate.ts'
import { builder } from './builder.ts'
import { gateDescription } from './situation.ts'
import { objectOrNull } from './stored-json.ts'
import { ActorRef, actorFrom } from './viewer.ts'

const GateKind = builder.enumType('GateKind', {
  description: 'What kind of gate.',
  values: {
    AFTER: { description: 'Opens so long after its phase was entered.' },
    ON: { description: 'Opens when a trigger was emitted often enough.' },
  },
})

const GateOpenedBy = builder.enumType('GateOpenedBy', {
  description: 'What opened a gate.',
  values: {
    ELAPSED: { description: 'Its time came.' },
    TRIGGER: { description: 'The trigger that it waited for.' },
    FORCED: { description: 'A person.' },
  },
})

type Opening = { openedAt: Date | null; opensAt: Date | null; run: { endedAt: Date | null } }

/**
 * When a gate opened; null while it is closed. A time opens its gate also where nobody looked since, as while the run is
 * paused.
 */
function openedAtOf({ openedAt, opensAt, run }: Opening, now: number): Date | null {
  const until = run.endedAt?.getTime() ?? now
  return openedAt ?? (opensAt !== null && opensAt.getTime() <= until ? opensAt : null)
}

/** How long ON gates wait before they count as stalled is the runner's to say; it marks the run. */
export const Gate = builder.prismaObject('Gate', {
  name: 'Gate',
  description: 'What a phase waits for besides its steps; there from when the phase is entered.',
  include: { run: { select: { currentPhase: true, stalledSince: true, endedAt: true } } },
  fields: (t) => ({
    phase: t.exposeString('phase', { description: 'Key of its phase.' }),
    kind: t.expose('kind', { type: GateKind, description: 'A time or a trigger.' }),
    description: t.string({
      description: 'What it waits for, in a sentence.',
      resolve: gateDescription,
    }),
    trigger: t.exposeString('trigger', { nullable: true, description: 'Id of the trigger; null for AFTER.' }),
    tally: t.exposeInt('tally', { nullable: true, description: 'How many emissions have matched. Null for AFTER.' }),
    needed: t.exposeInt('needed', { nullable: true, description: 'How many have to match. Null for AFTER.' }),
    enteredAt: t.expose('enteredAt', { type: 'DateTime', description: 'When its phase was entered.' }),
    opensAt: t.expose('opensAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it opens by itself. Null for ON.',
    }),
    openedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it opened; null while it is closed.',
      resolve: (gate, _args, { control }) => openedAtOf(gate, control.clock.now()),
    }),
    openedBy: t.field({
      type: GateOpenedBy,
      nullable: true,
      description: 'What opened it; null while it is closed.',
      resolve: (gate, _args, { control }) =>
        gate.openedBy ?? (openedAtOf(gate, control.clock.now()) === null ? null : 'ELAPSED'),
    }),
    openedByActor: t.field({
      type: ActorRef,
      nullable: true,
      description: 'Who opened it: who forced it, or emitted the trigger.',
      resolve: ({ openedByKind, openedByName }) => actorFrom(openedByKind, openedByName),
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why a person forced it.' }),
    waitedSeconds: t.int({
      description: 'From entering the phase until it opened, or until now; whole seconds.',
      resolve: (gate, _args, { control }) => {
        const now = control.clock.now()
        return waitedSeconds(gate.enteredAt.getTime(), openedAtOf(gate, now)?.getTime() ?? now)
      },
    }),
    stalled: t.boolean({
      description: 'True while it has been waited for, with all steps done, longer than the stall time.',
      resolve: ({ openedAt, phase, run }) =>
        openedAt === null && run.currentPhase === phase && run.stalledSince !== null,
    }),
    lastEvent: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The last emission that was tried on it: trigger, payload, whether it matched, and when.',
      resolve: ({ lastEvent }) => objectOrNull(lastEvent),
    }),
  }),
})
