import { z } from 'zod'
import { askApi } from './api.ts'
import type { ClientConfig } from './config.ts'

/** What commands say of a token, and its shape. */
export const API_TOKEN = '{ id name role createdAt lastUsedAt expiresAt revokedAt }'

export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
})
export type ApiToken = z.infer<typeof ApiToken>

/** Every token of the server, newest first. */
export async function readTokens(config: ClientConfig): Promise<ApiToken[]> {
  const { apiTokens } = await askApi(config, {
    document: `query { apiTokens ${API_TOKEN} }`,
    shape: z.object({ apiTokens: z.array(ApiToken) }),
  })
  return apiTokens
}

/** Whether a token is taken: neither revoked nor expired. `now` is in milliseconds since the epoch. */
export function holds({ expiresAt, revokedAt }: ApiToken, now: number): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
}
