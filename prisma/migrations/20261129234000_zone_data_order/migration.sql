BEGIN;

-- Versions of zone data are compared byte by byte, which an index in the database's own order cannot answer. The index
-- on the column is built anew with it.
ALTER TABLE "definitions" ALTER COLUMN "zone_data" TYPE text COLLATE "C";

COMMIT;
