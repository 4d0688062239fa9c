BEGIN;

-- DropIndex
DROP INDEX "runs_live";

-- CreateIndex
CREATE INDEX "runs_by_status" ON "runs"("status", "occurrence_at", "id");

-- CreateIndex
CREATE INDEX "runs_unhealthy" ON "runs"("health", "occurrence_at", "id") WHERE (health = ANY (ARRAY['STALLED'::run_health, 'DEGRADED'::run_health]));

-- CreateIndex
CREATE INDEX "runs_uncleaned" ON "runs"("cleanup_status", "occurrence_at", "id") WHERE (cleanup_status = ANY (ARRAY['PENDING'::cleanup_status, 'INCOMPLETE'::cleanup_status]));

-- CreateIndex
CREATE INDEX "runs_of_scope" ON "runs"("scope", "occurrence_at", "id") WHERE (scope <> '');

-- CreateIndex
CREATE INDEX "runs_rehearsed" ON "runs"("occurrence_at", "id") WHERE (rehearsal);

COMMIT;
