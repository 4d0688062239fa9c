BEGIN;

-- CreateIndex
CREATE INDEX "runs_by_hand_waiting" ON "runs"("definition_id", "scheduled_for") WHERE (status = 'SCHEDULED' AND source = 'MANUAL' AND NOT rehearsal);

COMMIT;
