BEGIN;

-- AlterTable
ALTER TABLE "runs" DROP COLUMN "last_control";

COMMIT;
