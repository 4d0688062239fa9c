import { filters, heading, leave, type Pages, press, tab } from './look.ts'
import type { Scene } from './scene.ts'

/** A look at each state of what stands behind runs: events, modules, processes, tokens; and of what is no page. */
export function pagesBehind({ mira, shard }: Scene, isPhone: boolean): Pages {
  const parts = isPhone ? [tab('Rundown')] : []
  return {
    '/definitions': [
      {
        path: '/definitions',
        looks: [
          { at: 'the list', show: (page) => page.getByRole('list', { name: 'Definitions' }).waitFor() },
          {
            at: 'a new one',
            over: 'definitions/new-definition.tsx',
            async show(page) {
              await press(page, 'New definition')
              await press(page, 'Create it')
              await page.getByText('Give the event a name.').waitFor()
            },
          },
        ],
      },
    ],
    '/definitions/$slug': [
      {
        path: '/definitions/nights',
        looks: [
          { at: 'a definition', show: heading('Event nights') },
          ...parts,
          ...['Draft', 'Next', 'Runs', 'Versions', 'Verification'].map(tab),
          {
            at: 'publishing',
            over: 'definitions/publish-dialog.tsx',
            async show(page) {
              await press(page, 'Publish …')
              await page.getByRole('dialog').getByRole('list', { name: 'Differences' }).waitFor()
            },
          },
        ],
      },
      {
        path: '/definitions/sketch?publish=true',
        looks: [{ at: 'what keeps it back', show: (page) => page.getByText('cannot be published yet').waitFor() }],
      },
      {
        path: '/definitions/nothing',
        looks: [{ at: 'no definition', show: heading('There is no definition of this name') }],
      },
    ],
    '/definitions/$slug/edit': [
      {
        path: '/definitions/sketch/edit',
        looks: [
          { at: 'with issues', show: (page) => page.getByText(/things to solve/).waitFor() },
          {
            at: 'a step',
            async show(page) {
              await press(page, /^1.*spawn/)
              await page.getByRole('combobox', { name: 'Action' }).waitFor()
            },
          },
          {
            at: 'as text',
            async show(page) {
              await page.getByText('Text', { exact: true }).click()
              await page.getByRole('textbox', { name: 'The draft as YAML' }).waitFor()
            },
          },
        ],
      },
      {
        path: '/definitions/nights/edit',
        looks: [
          {
            at: 'a schedule',
            show: (page) =>
              page.getByRole('list', { name: 'Next occurrences' }).getByRole('listitem').first().waitFor(),
          },
        ],
      },
      {
        path: '/definitions/fete/edit',
        looks: [
          {
            at: 'a parameter, a step and a gate',
            async show(page) {
              await press(page, 'Add a parameter')
              await press(page, /^1.*Welcome/)
              await page.getByText(/things? to solve/).waitFor()
              await page.getByRole('list', { name: 'Next occurrences' }).getByRole('listitem').first().waitFor()
            },
          },
          {
            at: 'what was undone',
            async show(page) {
              await press(page, 'Undo')
              await page.getByText('Saved', { exact: true }).waitFor()
            },
          },
        ],
      },
      {
        path: '/definitions/nights/edit',
        token: mira,
        looks: [{ at: 'not allowed', show: heading(/needs the role ADMIN/) }],
      },
    ],
    '/actions': [
      {
        path: '/actions',
        looks: [
          {
            at: 'an action',
            async show(page) {
              await press(page, /fair\.balloons/)
              await page.getByText('a whole number, from 1 to 500').waitFor()
            },
          },
          {
            at: 'its setting',
            over: 'actions/setting-dialog.tsx',
            async show(page) {
              await press(page, 'Change setting …')
              await press(page, 'Set it')
              await page.getByText('Nothing is changed yet.').waitFor()
            },
          },
        ],
      },
    ],
    '/runner': [
      {
        path: '/runner',
        looks: [{ at: 'processes', show: (page) => page.getByText('The runner keeps up.').waitFor() }],
      },
    ],
    '/tokens': [
      {
        path: '/tokens',
        looks: [
          { at: 'tokens', show: (page) => page.getByRole('button', { name: 'Revoke Mira' }).waitFor() },
          {
            at: 'revoking',
            over: 'ui/control-dialog.tsx',
            async show(page) {
              await press(page, 'Revoke Mira')
              await page.getByRole('dialog', { name: /^Revoke/ }).waitFor()
            },
          },
          {
            at: 'a new one',
            over: 'tokens/create-dialog.tsx',
            async show(page) {
              await leave(page)
              await press(page, 'Create a token …')
              await press(page, 'Create it')
              await page.getByText('Say who or what it is for.').waitFor()
            },
          },
          {
            at: 'the new one, this once',
            async show(page) {
              await page.getByRole('textbox', { name: 'Name' }).fill(isPhone ? 'Nora' : 'Odo')
              await press(page, 'Create it')
              await page.getByText('It is shown this once').waitFor()
            },
          },
        ],
      },
      { path: '/tokens', token: mira, looks: [{ at: 'not allowed', show: heading(/needs the role ADMIN/) }] },
    ],
    '/audit': [
      {
        path: '/audit',
        looks: [
          filters,
          {
            at: 'an entry',
            async show(page) {
              await page.getByRole('list', { name: 'Entries' }).locator('summary').first().click()
              await page.getByText('Done to', { exact: true }).first().waitFor()
            },
          },
        ],
      },
      { path: '/audit', token: mira, looks: [{ at: 'not allowed', show: heading(/needs the role ADMIN/) }] },
    ],
    'no route': [
      { path: '/nothing/here', looks: [{ at: 'no page', show: heading('There is no page at this address') }] },
      {
        path: '/',
        token: null,
        looks: [
          { at: 'signing in', show: heading('Sign in') },
          {
            at: 'a wrong token',
            async show(page) {
              await page.getByRole('textbox', { name: 'Token' }).fill('wrong')
              await press(page, 'Sign in')
              await page.getByText('The server does not take this token').waitFor()
            },
          },
        ],
      },
      {
        path: '/',
        token: shard,
        looks: [{ at: 'a game server', show: (page) => page.getByText('for a game server').waitFor() }],
      },
      {
        path: '/',
        looks: [
          {
            at: 'no answer',
            async show(page) {
              await page.route('**/graphql', (route) => route.abort())
              await page.reload()
              await page.getByText('The server could not be reached.').waitFor()
            },
          },
        ],
      },
    ],
  }
}
