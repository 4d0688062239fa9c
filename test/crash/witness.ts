import pg from 'pg'

/** A change of a step or of a run's status, in the order in which the database made them. */
export type Witnessed = {
  n: number
  runId: string
  /** Null: it is about the run. */
  stepId: string | null
  /** Null: the row was made. */
  was: string | null
  becomes: string
  attemptsWere: number
  attempts: number
  claimWas: number
  claim: number
  /** The run's status after the change. */
  runStatus: string
}

/** A change of something in a ledger; `becomes` null: a placeholder gave way. */
export type WitnessedResource = {
  n: number
  resourceId: string
  placeholder: boolean
  was: string
  becomes: string | null
  claimWas: number
  claim: number | null
}

// The database itself writes down each change, whoever makes it: what the server's log says can be held against it.
// Triggers after a statement see all that it changed.
const SETUP = `
  CREATE TABLE witness (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id uuid NOT NULL, step_id uuid, was text, becomes text NOT NULL,
    attempts_were int NOT NULL, attempts int NOT NULL, claim_was int NOT NULL, claim int NOT NULL, run_status text NOT NULL);
  CREATE TABLE witness_ledger (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, resource_id uuid NOT NULL, placeholder bool NOT NULL,
    was text NOT NULL, becomes text, claim_was int NOT NULL, claim int);
  CREATE FUNCTION witness_resource() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness_ledger (resource_id, placeholder, was, becomes, claim_was, claim)
    VALUES (OLD.id, OLD.placeholder, OLD.status, NEW.status, OLD.claim_no, NEW.claim_no);
    RETURN NULL;
  END $$;
  CREATE TRIGGER witness_resource AFTER UPDATE OR DELETE ON resources FOR EACH ROW EXECUTE FUNCTION witness_resource();
  CREATE FUNCTION witness_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness (run_id, step_id, was, becomes, attempts_were, attempts, claim_was, claim, run_status)
    SELECT NEW.run_id, NEW.id, OLD.status, NEW.status, coalesce(OLD.attempts, 0), NEW.attempts, coalesce(OLD.claim_no, 0),
      NEW.claim_no, r.status FROM runs r WHERE r.id = NEW.run_id;
    RETURN NULL;
  END $$;
  CREATE FUNCTION witness_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO witness (run_id, was, becomes, attempts_were, attempts, claim_was, claim, run_status)
    VALUES (NEW.id, OLD.status, NEW.status, 0, 0, 0, 0, NEW.status);
    RETURN NULL;
  END $$;
  CREATE TRIGGER witness_step AFTER INSERT OR UPDATE ON steps FOR EACH ROW EXECUTE FUNCTION witness_step();
  CREATE TRIGGER witness_run AFTER UPDATE ON runs FOR EACH ROW WHEN (OLD.status <> NEW.status)
    EXECUTE FUNCTION witness_run();`

/** From now on the database writes down what becomes of its runs and steps. */
export async function setUpWitness(databaseUrl: string): Promise<void> {
  await query(databaseUrl, SETUP)
}

export type RunRow = {
  id: string
  definitionId: string
  status: string
  concurrencyKey: string | null
  requestId: string | null
  lastLine: number
  claimed: boolean
  cleanupStatus: string
}
export type StepRow = {
  id: string
  runId: string
  status: string
  attempts: number
  claimNo: number
  place: number
  actionId: string
}
export type LineRow = {
  runId: string
  line: number
  kind: string
  stepId: string | null
  detail: Record<string, unknown>
}
export type ResourceRow = {
  id: string
  runId: string
  placeholder: boolean
  status: string
  attempts: number
  claimNo: number
}
/** All that there is to know in the end. */
export type Evidence = {
  runs: RunRow[]
  steps: StepRow[]
  resources: ResourceRow[]
  lines: LineRow[]
  witnessed: Witnessed[]
  witnessedLedger: WitnessedResource[]
}

export async function gatherEvidence(databaseUrl: string): Promise<Evidence> {
  return {
    runs: await query<RunRow>(
      databaseUrl,
      `SELECT id, definition_id AS "definitionId", status::text, concurrency_key AS "concurrencyKey",
         request_id AS "requestId", last_line AS "lastLine", claimed_by IS NOT NULL OR ledger_owner IS NOT NULL AS claimed,
         cleanup_status::text AS "cleanupStatus" FROM runs ORDER BY id`,
    ),
    steps: await query<StepRow>(
      databaseUrl,
      `SELECT id, run_id AS "runId", status::text, attempts, claim_no AS "claimNo", phase_index * 1000 + seq AS place,
         action_id AS "actionId" FROM steps ORDER BY run_id, place`,
    ),
    resources: await query<ResourceRow>(
      databaseUrl,
      `SELECT id, run_id AS "runId", placeholder, status::text, revert_attempts AS attempts, claim_no AS "claimNo"
       FROM resources ORDER BY run_id, id`,
    ),
    witnessedLedger: await query<WitnessedResource>(
      databaseUrl,
      `SELECT n::int, resource_id AS "resourceId", placeholder, was, becomes, claim_was AS "claimWas", claim
       FROM witness_ledger ORDER BY n`,
    ),
    lines: await query<LineRow>(
      databaseUrl,
      'SELECT run_id AS "runId", line, kind, step_id AS "stepId", detail FROM run_log ORDER BY run_id, line',
    ),
    witnessed: await query<Witnessed>(
      databaseUrl,
      `SELECT n::int, run_id AS "runId", step_id AS "stepId", was, becomes, attempts_were AS "attemptsWere", attempts,
         claim_was AS "claimWas", claim, run_status AS "runStatus" FROM witness ORDER BY n`,
    ),
  }
}

async function query<Row extends pg.QueryResultRow>(databaseUrl: string, sql: string): Promise<Row[]> {
  const session = new pg.Client({ connectionString: databaseUrl })
  await session.connect()
  try {
    return (await session.query<Row>(sql)).rows
  } finally {
    await session.end()
  }
}
