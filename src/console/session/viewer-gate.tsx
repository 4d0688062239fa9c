import { Button, Center, Loader, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { ViewerDocument } from '../../generated/console/documents.ts'
import { sentenceOf } from '../api/act.ts'
import { useLive } from '../api/live-query.ts'
import { Brand } from '../shell/brand.tsx'
import { Notice } from '../ui/notice.tsx'
import { forgetToken } from './token.ts'
import { ViewerContext } from './viewer-context.ts'

const NOTHING = {}

/** Waits until it is known who is signed in. */
export function ViewerGate({ children }: { children: ReactNode }) {
  const { data, error } = useLive({ query: ViewerDocument, variables: NOTHING }, null)
  const viewer = data?.viewer ?? null

  if (viewer !== null && viewer.role !== 'EMITTER') {
    return <ViewerContext value={viewer}>{children}</ViewerContext>
  }
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack maw={440} align="center">
        <Title order={1}>
          <Brand />
        </Title>
        {viewer?.role === 'EMITTER' ? (
          <Notice tone="wait" title="This token is for a game server">
            It may emit triggers and read nothing, so there is nothing to show. Sign in with a token whose role is
            VIEWER, MODERATOR or ADMIN.
          </Notice>
        ) : error === null ? (
          <div role="status">
            <VisuallyHidden>Asking the server who you are</VisuallyHidden>
            <Loader aria-hidden />
          </div>
        ) : (
          <>
            <Loader aria-hidden />
            <Text role="status" ta="center">
              {sentenceOf(error)} The console goes on by itself then.
            </Text>
          </>
        )}
        <Button variant="default" onClick={forgetToken}>
          Use another token
        </Button>
      </Stack>
    </Center>
  )
}
