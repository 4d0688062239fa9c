BEGIN;

-- AlterTable
ALTER TABLE "trigger_emissions" DROP CONSTRAINT "trigger_emissions_pkey",
ADD COLUMN     "rehearsal" BOOLEAN NOT NULL DEFAULT false,
ADD CONSTRAINT "trigger_emissions_pkey" PRIMARY KEY ("trigger", "dedupe_key", "rehearsal");

COMMIT;
