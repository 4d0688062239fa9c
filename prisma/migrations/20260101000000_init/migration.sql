-- One transaction: a migration that is cut off leaves nothing behind and is applied again by the next start.
BEGIN;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('USER', 'TOKEN', 'SYSTEM');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('VIEWER', 'EMITTER', 'MODERATOR', 'ADMIN');

-- CreateEnum
CREATE TYPE "definition_state" AS ENUM ('DRAFT', 'READY', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "on_failure" AS ENUM ('SKIP', 'PAUSE', 'ABORT_RUN');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('SCHEDULED', 'STARTING', 'RUNNING', 'PAUSED', 'ENDING', 'COMPLETED', 'CANCELLED', 'FAILED', 'MISSED');

-- CreateEnum
CREATE TYPE "run_health" AS ENUM ('OK', 'STALLED', 'DEGRADED');

-- CreateEnum
CREATE TYPE "run_source" AS ENUM ('MANUAL', 'SCHEDULE');

-- CreateEnum
CREATE TYPE "cleanup_status" AS ENUM ('NOT_REQUIRED', 'PENDING', 'CLEAN', 'INCOMPLETE');

-- CreateEnum
CREATE TYPE "missed_reason" AS ENUM ('NOT_RUNNING', 'KEY_HELD', 'SCHEDULE_PAUSED');

-- CreateEnum
CREATE TYPE "dst_adjustment" AS ENUM ('GAP', 'OVERLAP');

-- CreateEnum
CREATE TYPE "step_status" AS ENUM ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'REFUSED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "gate_kind" AS ENUM ('AFTER', 'ON');

-- CreateEnum
CREATE TYPE "gate_opened_by" AS ENUM ('ELAPSED', 'TRIGGER', 'FORCED');

-- CreateEnum
CREATE TYPE "resource_status" AS ENUM ('ACTIVE', 'REVERTING', 'REVERTED', 'FAILED', 'ABANDONED');

-- CreateTable
CREATE TABLE "definitions" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "state" "definition_state" NOT NULL DEFAULT 'DRAFT',
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "grace_seconds" INTEGER NOT NULL DEFAULT 900,
    "concurrency_key" TEXT,
    "parameters" JSONB NOT NULL DEFAULT '[]',
    "draft" JSONB NOT NULL,
    "current_version_id" UUID,
    "schedule_paused" BOOLEAN NOT NULL DEFAULT false,
    "schedule_resumed_at" TIMESTAMPTZ(3),
    "materialised_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "definitions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "versions" (
    "id" UUID NOT NULL,
    "definition_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "spec" JSONB NOT NULL,
    "time_zone" TEXT NOT NULL,
    "grace_seconds" INTEGER NOT NULL,
    "concurrency_key" TEXT,
    "parameters" JSONB NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,
    "published_by_kind" "actor_kind" NOT NULL,
    "published_by_name" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "verification" JSONB,

    CONSTRAINT "versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" UUID NOT NULL,
    "definition_id" UUID NOT NULL,
    "version_id" UUID NOT NULL,
    "scope" TEXT NOT NULL DEFAULT '',
    "source" "run_source" NOT NULL,
    "rehearsal" BOOLEAN NOT NULL DEFAULT false,
    "params" JSONB NOT NULL DEFAULT '{}',
    "time_zone" TEXT NOT NULL,
    "concurrency_key" TEXT,
    "occurrence_key" TEXT NOT NULL,
    "occurrence_at" TIMESTAMPTZ(3) NOT NULL,
    "scheduled_for" TIMESTAMPTZ(3) NOT NULL,
    "grace_until" TIMESTAMPTZ(3) NOT NULL,
    "moved" BOOLEAN NOT NULL DEFAULT false,
    "adjusted" "dst_adjustment",
    "shift_minutes" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_by_kind" "actor_kind" NOT NULL,
    "started_by_name" TEXT NOT NULL,
    "request_id" TEXT,
    "request" JSONB,
    "status" "run_status" NOT NULL DEFAULT 'SCHEDULED',
    "health" "run_health" NOT NULL DEFAULT 'OK',
    "stalled_since" TIMESTAMPTZ(3),
    "cleanup_status" "cleanup_status" NOT NULL DEFAULT 'NOT_REQUIRED',
    "current_phase" TEXT,
    "phase_index" INTEGER,
    "phase_entered_at" TIMESTAMPTZ(3),
    "hold_until" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "ended_because" TEXT,
    "ended_by_kind" "actor_kind",
    "ended_by_name" TEXT,
    "missed_reason" "missed_reason",
    "last_error" TEXT,
    "superseded_by_id" UUID,
    "results_published_at" TIMESTAMPTZ(3),
    "blocked_by" UUID,
    "last_control" JSONB,
    "wake_at" TIMESTAMPTZ(3),
    "claimed_by" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "in_flight" UUID,
    "fence" INTEGER NOT NULL DEFAULT 0,
    "last_line" INTEGER NOT NULL DEFAULT 0,
    "log_pruned_at" TIMESTAMPTZ(3),

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "steps" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "phase" TEXT NOT NULL,
    "phase_index" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "action_id" TEXT NOT NULL,
    "action_version" INTEGER NOT NULL,
    "label" TEXT,
    "params" JSONB NOT NULL,
    "on_failure" "on_failure" NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "status" "step_status" NOT NULL DEFAULT 'PENDING',
    "due_at" TIMESTAMPTZ(3),
    "held" BOOLEAN NOT NULL DEFAULT false,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claim_no" INTEGER NOT NULL DEFAULT 0,
    "spent" BOOLEAN NOT NULL DEFAULT false,
    "last_error" TEXT,
    "note" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "parked" BOOLEAN NOT NULL DEFAULT false,
    "parked_at" TIMESTAMPTZ(3),
    "instruction" TEXT,
    "cue_claimed_by_kind" "actor_kind",
    "cue_claimed_by_name" TEXT,
    "cue_claimed_at" TIMESTAMPTZ(3),

    CONSTRAINT "steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gates" (
    "run_id" UUID NOT NULL,
    "phase" TEXT NOT NULL,
    "phase_index" INTEGER NOT NULL,
    "kind" "gate_kind" NOT NULL,
    "trigger" TEXT,
    "where" JSONB,
    "tally" INTEGER,
    "needed" INTEGER,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "opens_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3),
    "opened_by" "gate_opened_by",
    "opened_by_kind" "actor_kind",
    "opened_by_name" TEXT,
    "reason" TEXT,
    "last_event" JSONB,

    CONSTRAINT "gates_pkey" PRIMARY KEY ("run_id","phase_index")
);

-- CreateTable
CREATE TABLE "run_log" (
    "run_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "phase" TEXT,
    "step_id" UUID,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_name" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "run_log_pkey" PRIMARY KEY ("run_id","line")
);

-- CreateTable
CREATE TABLE "budget_lines" (
    "run_id" UUID NOT NULL,
    "dimension" TEXT NOT NULL,
    "consumed" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "cap" DOUBLE PRECISION,
    "cap_from" TEXT,

    CONSTRAINT "budget_lines_pkey" PRIMARY KEY ("run_id","dimension")
);

-- CreateTable
CREATE TABLE "resources" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "step_id" UUID NOT NULL,
    "module" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "payload" JSONB,
    "member_key" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "placeholder" BOOLEAN NOT NULL DEFAULT false,
    "status" "resource_status" NOT NULL DEFAULT 'ACTIVE',
    "revert_attempts" INTEGER NOT NULL DEFAULT 0,
    "revert_due_at" TIMESTAMPTZ(3),
    "claim_no" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resources_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "participants" (
    "run_id" UUID NOT NULL,
    "member_key" TEXT NOT NULL,
    "user_id" TEXT,
    "score" DOUBLE PRECISION,
    "rank" INTEGER,
    "joined_at" TIMESTAMPTZ(3),
    "meta" JSONB,

    CONSTRAINT "participants_pkey" PRIMARY KEY ("run_id","member_key")
);

-- CreateTable
CREATE TABLE "trigger_emissions" (
    "trigger" TEXT NOT NULL,
    "dedupe_key" TEXT NOT NULL,
    "emitted_at" TIMESTAMPTZ(3) NOT NULL,
    "result" JSONB NOT NULL,

    CONSTRAINT "trigger_emissions_pkey" PRIMARY KEY ("trigger","dedupe_key")
);

-- CreateTable
CREATE TABLE "action_settings" (
    "action_id" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "action_settings_pkey" PRIMARY KEY ("action_id")
);

-- CreateTable
CREATE TABLE "action_caps" (
    "action_id" TEXT NOT NULL,
    "dimension" TEXT NOT NULL,
    "cap" DOUBLE PRECISION,

    CONSTRAINT "action_caps_pkey" PRIMARY KEY ("action_id","dimension")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT,
    "detail" JSONB NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instances" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "working" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "instances_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "definitions_slug_key" ON "definitions"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "definitions_current_version_id_key" ON "definitions"("current_version_id");

-- CreateIndex
CREATE INDEX "definitions_to_expand" ON "definitions"("materialised_until") WHERE (state = 'READY');

-- CreateIndex
CREATE UNIQUE INDEX "versions_definition_id_version_key" ON "versions"("definition_id", "version");

-- CreateIndex
CREATE INDEX "runs_due" ON "runs"("wake_at") WHERE (claimed_by IS NULL AND wake_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_claimed" ON "runs"("id") WHERE (claimed_by IS NOT NULL);

-- CreateIndex
CREATE INDEX "runs_to_miss" ON "runs"("grace_until") WHERE (status = 'SCHEDULED');

-- CreateIndex
CREATE INDEX "runs_to_prune" ON "runs"("ended_at") WHERE (ended_at IS NOT NULL AND log_pruned_at IS NULL);

-- CreateIndex
CREATE INDEX "runs_by_occurrence" ON "runs"("occurrence_at", "id");

-- CreateIndex
CREATE INDEX "runs_of_definition" ON "runs"("definition_id", "occurrence_at", "id");

-- CreateIndex
CREATE INDEX "runs_live" ON "runs"("occurrence_at", "id") WHERE (status = ANY (ARRAY['STARTING'::run_status, 'RUNNING'::run_status, 'PAUSED'::run_status, 'ENDING'::run_status]));

-- CreateIndex
CREATE INDEX "runs_waiting_for_key" ON "runs"("concurrency_key", "scheduled_for") WHERE (status = 'SCHEDULED' AND concurrency_key IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_per_occurrence_key" ON "runs"("definition_id", "scope", "occurrence_key") WHERE (NOT rehearsal AND superseded_by_id IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_per_instant" ON "runs"("definition_id", "scope", "occurrence_at") WHERE (NOT rehearsal AND superseded_by_id IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_per_request" ON "runs"("definition_id", "request_id");

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_holder_per_key" ON "runs"("concurrency_key") WHERE (NOT rehearsal AND (status = ANY (ARRAY['STARTING'::run_status, 'RUNNING'::run_status, 'PAUSED'::run_status, 'ENDING'::run_status]) OR cleanup_status = 'PENDING'));

-- CreateIndex
CREATE INDEX "steps_parked" ON "steps"("parked_at", "id") WHERE (parked);

-- CreateIndex
CREATE UNIQUE INDEX "steps_place" ON "steps"("run_id", "phase_index", "seq");

-- CreateIndex
CREATE INDEX "gates_waiting" ON "gates"("trigger") WHERE (kind = 'ON' AND opened_at IS NULL);

-- CreateIndex
CREATE INDEX "resources_of_run" ON "resources"("run_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "resources_lapsing" ON "resources"("lease_until") WHERE (status = 'ACTIVE' AND lease_until IS NOT NULL);

-- CreateIndex
CREATE INDEX "trigger_emissions_emitted_at_idx" ON "trigger_emissions"("emitted_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE INDEX "audit_entries_at_id_idx" ON "audit_entries"("at", "id");

-- AddForeignKey
ALTER TABLE "definitions" ADD CONSTRAINT "definitions_current_version_id_fkey" FOREIGN KEY ("current_version_id") REFERENCES "versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "versions" ADD CONSTRAINT "versions_definition_id_fkey" FOREIGN KEY ("definition_id") REFERENCES "definitions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_definition_id_fkey" FOREIGN KEY ("definition_id") REFERENCES "definitions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_superseded_by_id_fkey" FOREIGN KEY ("superseded_by_id") REFERENCES "versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gates" ADD CONSTRAINT "gates_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_log" ADD CONSTRAINT "run_log_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget_lines" ADD CONSTRAINT "budget_lines_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resources" ADD CONSTRAINT "resources_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resources" ADD CONSTRAINT "resources_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "steps"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "participants" ADD CONSTRAINT "participants_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "action_caps" ADD CONSTRAINT "action_caps_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "action_settings"("action_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the schema language cannot say: room in each page for rows that change in place, and what no row may ever be.
ALTER TABLE "runs" SET (fillfactor = 80);
ALTER TABLE "steps" SET (fillfactor = 80);

ALTER TABLE "definitions"
  ADD CONSTRAINT "definitions_slug_form" CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,63}$');

ALTER TABLE "versions"
  ADD CONSTRAINT "versions_from_one" CHECK (version >= 1),
  ADD CONSTRAINT "versions_grace" CHECK (grace_seconds BETWEEN 0 AND 86400);

ALTER TABLE "runs"
  ADD CONSTRAINT "runs_scope_length" CHECK (char_length(scope) <= 190),
  ADD CONSTRAINT "runs_key_length" CHECK (char_length(concurrency_key) <= 190),
  ADD CONSTRAINT "runs_grace" CHECK (grace_until >= scheduled_for),
  ADD CONSTRAINT "runs_phase" CHECK ((current_phase IS NULL) = (phase_index IS NULL)),
  ADD CONSTRAINT "runs_claim" CHECK ((claimed_by IS NULL) = (lease_until IS NULL)),
  ADD CONSTRAINT "runs_ended" CHECK ((status IN ('COMPLETED', 'CANCELLED', 'FAILED', 'MISSED')) = (ended_at IS NOT NULL));

ALTER TABLE "steps"
  ADD CONSTRAINT "steps_place_from_zero" CHECK (phase_index >= 0 AND seq >= 0),
  ADD CONSTRAINT "steps_counts" CHECK (attempts >= 0 AND claim_no >= 0),
  ADD CONSTRAINT "steps_parked_runs" CHECK (NOT parked OR (status = 'RUNNING' AND parked_at IS NOT NULL));

ALTER TABLE "run_log"
  ADD CONSTRAINT "run_log_from_one" CHECK (line >= 1);

COMMIT;
