import type { Issue } from './issue.ts'

/** How much harm a failure of an action does. */
export type Risk = 'NOTIFY' | 'CHANGE' | 'IRREVERSIBLE'

/** What a draft has to know of a registered action. */
export type CatalogAction = {
  version: number
  risk: Risk
  /** JSON Schema of the params. */
  paramsSchema: Record<string, unknown>
  /**
   * What is wrong with a step's params as authored, placeholders not filled: a string that holds one is not judged by
   * what it will become. Paths are relative to params: `count`, `items[0].name`; '' is params itself.
   */
  checkDraft(params: Record<string, unknown>): Issue[]
}

/** What a draft has to know of a registered trigger. */
export type CatalogTrigger = {
  /** JSON Schema of the payload. */
  payloadSchema: Record<string, unknown>
}

/** The registered actions and triggers, as far as drafts need them. */
export interface Catalog {
  action(id: string): CatalogAction | undefined
  trigger(id: string): CatalogTrigger | undefined
}
