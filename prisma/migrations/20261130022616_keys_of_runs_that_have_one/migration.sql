BEGIN;

-- DropIndex
DROP INDEX "runs_one_holder_per_key";

-- DropIndex
DROP INDEX "runs_one_per_request";

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_per_request" ON "runs"("definition_id", "request_id") WHERE (request_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "runs_one_holder_per_key" ON "runs"("concurrency_key") WHERE (concurrency_key IS NOT NULL AND NOT rehearsal AND (status = ANY (ARRAY['STARTING'::run_status, 'RUNNING'::run_status, 'PAUSED'::run_status, 'ENDING'::run_status]) OR cleanup_status = 'PENDING'));

COMMIT;
