BEGIN;

-- DropIndex
DROP INDEX "resources_unresolved";

-- CreateIndex
CREATE INDEX "resources_unresolved" ON "resources"("run_id", "status", "revert_due_at", "created_at", "id") WHERE (status = ANY (ARRAY['ACTIVE'::resource_status, 'REVERTING'::resource_status, 'FAILED'::resource_status]));

-- CreateIndex
CREATE INDEX "resources_leased" ON "resources"("run_id", "lease_until") WHERE (status = 'ACTIVE' AND lease_until IS NOT NULL);

COMMIT;
