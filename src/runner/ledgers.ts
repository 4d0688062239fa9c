import type { Ledger } from '../domain/ledger.ts'
import { Batch } from '../store/batch.ts'
import { renewLedgerLeases } from '../store/claims.ts'
import type { PrismaClient } from '../store/database.ts'
import { LedgerChanges, type LedgerReading, readLedgers } from '../store/ledger.ts'
import { type LeaseOptions, Leases } from './leases.ts'

/** The ledgers of runs, as a process that cleans up reads, writes and keeps them. */
export class Ledgers {
  readonly changes: LedgerChanges
  /** Reads claimed ledgers, many in a statement. */
  readonly claimed: Batch<LedgerReading, Ledger | null>
  readonly leases: Leases

  constructor(db: PrismaClient, leasing: Omit<LeaseOptions, 'renew'>) {
    this.changes = new LedgerChanges(db)
    this.claimed = new Batch((readings: LedgerReading[]) => readLedgers(db, readings))
    this.leases = new Leases({ ...leasing, renew: (leases) => renewLedgerLeases(db, leases) })
  }
}
