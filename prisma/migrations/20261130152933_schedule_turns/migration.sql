BEGIN;

-- AlterTable
ALTER TABLE "definitions" ADD COLUMN     "schedule_turned_at" TIMESTAMPTZ(3),
ADD COLUMN     "schedule_turns" INTEGER NOT NULL DEFAULT 0;

COMMIT;
