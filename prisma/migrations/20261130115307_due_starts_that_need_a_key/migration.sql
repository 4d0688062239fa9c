BEGIN;

-- CreateIndex
CREATE INDEX "runs_due_keyed" ON "runs"("wake_at") WHERE (claimed_by IS NULL AND wake_at IS NOT NULL AND concurrency_key IS NOT NULL AND NOT rehearsal);

COMMIT;
