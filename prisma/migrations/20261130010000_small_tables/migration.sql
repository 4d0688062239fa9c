BEGIN;

-- Statements of the runner are planned once. Planned on tables that were found small, they walk them, also when they have
-- grown: so small tables are not looked at, and the planner takes them for larger than they are.
ALTER TABLE "definitions" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "versions" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "runs" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "steps" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "gates" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "run_log" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "budget_lines" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "resources" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "participants" SET (autovacuum_analyze_threshold = 5000, autovacuum_vacuum_threshold = 5000);

COMMIT;
