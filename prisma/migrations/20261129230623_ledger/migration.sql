BEGIN;

-- DropIndex
DROP INDEX "resources_lapsing";

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "ledger_at" TIMESTAMPTZ(3),
ADD COLUMN     "ledger_owner" TEXT;

-- CreateIndex
CREATE INDEX "resources_of_step" ON "resources"("step_id");

-- CreateIndex
CREATE INDEX "resources_unresolved" ON "resources"("run_id") WHERE (status = ANY (ARRAY['ACTIVE'::resource_status, 'REVERTING'::resource_status, 'FAILED'::resource_status]));

-- CreateIndex
CREATE UNIQUE INDEX "resources_one_placeholder" ON "resources"("step_id") WHERE (placeholder);

-- CreateIndex
CREATE INDEX "runs_ledger_due" ON "runs"("ledger_at") WHERE (ledger_at IS NOT NULL);

COMMIT;
