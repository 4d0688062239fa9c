import { type IdType, uuidOf } from '../domain/ids.ts'

/** An id of no thing at all: what a filter by a malformed id looks for, so that it finds nothing. */
const NO_UUID = '00000000-0000-0000-0000-000000000000'

/** The UUID to filter by; of nothing where the id is not one of this type. */
export const filterUuid = (id: string | null | undefined, type: IdType): string | null =>
  id == null ? null : (uuidOf(id, type) ?? NO_UUID)
