BEGIN;

-- DropIndex
DROP INDEX "definitions_to_expand";

-- AlterTable
ALTER TABLE "definitions" ADD COLUMN     "zone_data" TEXT;

-- CreateIndex
CREATE INDEX "definitions_to_expand" ON "definitions"("materialised_until") WHERE (state = 'READY' AND NOT schedule_paused AND materialised_until IS NOT NULL);

-- CreateIndex
CREATE INDEX "definitions_by_zone_data" ON "definitions"("zone_data") WHERE (state = 'READY' AND zone_data IS NOT NULL);

-- CreateIndex
CREATE INDEX "definitions_paused" ON "definitions"("id") WHERE (schedule_paused);

-- CreateIndex
CREATE INDEX "runs_upcoming" ON "runs"("definition_id", "scheduled_for") WHERE (status = 'SCHEDULED' AND source = 'SCHEDULE');

-- CreateIndex
CREATE INDEX "runs_moved" ON "runs"("scheduled_for") WHERE (moved);

COMMIT;
