import { Button, SegmentedControl } from '@mantine/core'
import { IconKeyOff, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { TokensDocument } from '../../generated/console/documents.ts'
import { useLive } from '../api/live-query.ts'
import { useLookAgain } from '../api/look-again.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { useMinute } from '../time/now.ts'
import { Empty } from '../ui/empty.tsx'
import { NeedsRole } from '../ui/needs-role.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Unread } from '../ui/unread.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { TokenTable } from './token-table.tsx'
import { holds } from './token-words.ts'

const NOTHING = {}

export function TokensPage() {
  usePageTitle('Tokens')
  return (
    <NeedsRole needed="ADMIN" what="The list of tokens">
      <Tokens />
    </NeedsRole>
  )
}

/** Who may sign in: each token without what is secret of it, made and revoked here. */
function Tokens() {
  const { data, error, refresh } = useLive({ query: TokensDocument, variables: NOTHING }, null)
  useLookAgain(refresh)
  const [isCreating, setCreating] = useState(false)
  const [which, setWhich] = useState<'holding' | 'all'>('holding')
  const now = useMinute()
  const all = data?.apiTokens ?? []
  const shown = which === 'all' ? all : all.filter((token) => holds(token, now))

  return (
    <>
      <PageHead
        title="Tokens"
        aside={
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
            Create a token …
          </Button>
        }
      >
        Each person, script and game server has one of its own, so that the log can say who it was.
      </PageHead>
      <CreateDialog opened={isCreating} onClose={() => setCreating(false)} onChange={refresh} />
      {data === undefined && <Unread what="the tokens" error={error} />}
      {data !== undefined && (
        <>
          <SegmentedControl
            aria-label="Which tokens"
            mb="sm"
            value={which}
            onChange={(value) => setWhich(value as typeof which)}
            data={[
              { value: 'holding', label: 'Those that hold' },
              { value: 'all', label: 'All' },
            ]}
          />
          {shown.length === 0 ? (
            <Empty icon={IconKeyOff} title={all.length === 0 ? 'There are no tokens yet' : 'No token holds'} level={2}>
              <p>
                Create one for each person and program. The token in <code>CUELIGHT_ADMIN_TOKEN</code> of the server is
                in no list.
              </p>
            </Empty>
          ) : (
            <TokenTable tokens={shown} onChange={refresh} />
          )}
        </>
      )}
    </>
  )
}
