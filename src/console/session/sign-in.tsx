import { Anchor, Button, Center, Code, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Brand } from '../shell/brand.tsx'
import { Notice } from '../ui/notice.tsx'
import { keepToken } from './token.ts'

/** Asks for a token, and says where one comes from. */
export function SignIn({ refused }: { refused: boolean }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const token = text.trim().replace(/^Bearer\s+/i, '')
    if (token === '') return setProblem('Paste your token here.')
    if (/[^\x21-\x7e]/.test(token)) {
      return setProblem('A token is one word without spaces; copy it again, and all of it.')
    }
    setText('')
    keepToken(token)
  }

  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" maw={460} w="100%" bg="var(--surface)">
        <form onSubmit={submit} noValidate>
          <Stack>
            <Brand />
            <Title order={1} fz="h2">
              Sign in
            </Title>
            {refused && (
              <Notice tone="bad" title="The server does not take this token">
                It is mistyped, has expired or was revoked, or it is the secret of a calendar, which signs nobody in.
                Ask an admin of this server for another one.
              </Notice>
            )}
            <PasswordInput
              label="Token"
              description="It is kept in this browser until you sign out."
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                setProblem(null)
              }}
              error={problem}
              autoComplete="current-password"
              data-autofocus
              size="md"
            />
            <Button type="submit" size="md" fullWidth>
              Sign in
            </Button>
            <Text fz="sm" c="dimmed">
              A token comes from an admin of this server, who makes one in the console, or with{' '}
              <Code>cuelight token create</Code>. Did you set the server up? Its first start printed an admin token,
              unless you gave it one in <Code>CUELIGHT_ADMIN_TOKEN</Code>. For the API itself there is{' '}
              <Anchor href="/graphql" inherit underline="always">
                GraphiQL
              </Anchor>
              .
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}
