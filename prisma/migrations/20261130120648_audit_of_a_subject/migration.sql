BEGIN;

-- CreateIndex
CREATE INDEX "audit_entries_subject_at_id_idx" ON "audit_entries"("subject", "at", "id");

COMMIT;
