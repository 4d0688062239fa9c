import type { Page } from 'playwright-core'
import { TOKEN } from '../crash/server-process.ts'
import type { Scene } from './scene.ts'

/** What is looked at on a page, each going on from the one before it. */
type Look = {
  at: string
  /** The file in src/console of the dialog, drawer or menu that lies over the page then. */
  over?: string
  show(page: Page): Promise<unknown>
}
export type Visit = { path: string; token?: string | null; looks: readonly Look[] }

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first().waitFor()
const leave = async (page: Page) => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
const tab = (name: string): Look => ({
  at: name,
  async show(page) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('tabpanel').waitFor()
    await page.getByText(/^Reading /).waitFor({ state: 'detached' })
  },
})

/** A look at each state of each page, by the path of its route. */
export function everyPage(scene: Scene, isPhone: boolean): Record<string, readonly Visit[]> {
  const { waiting, ended, failed, mira } = scene
  const parts = isPhone ? [tab('Rundown')] : []
  const filters: Look = {
    at: 'filters',
    async show(page) {
      if (isPhone) await press(page, /^Filters/)
      await page.getByLabel('From', { exact: true }).waitFor()
    },
  }
  return {
    '/': [
      {
        path: '/',
        looks: [
          { at: 'live', show: (page) => page.getByRole('heading', { name: 'Live', exact: true }).waitFor() },
          {
            at: 'menu of the viewer',
            over: 'shell/viewer-menu.tsx',
            async show(page) {
              await press(page, /your menu/)
              await page.getByRole('menuitem', { name: /forget/ }).waitFor()
            },
          },
          {
            at: 'more',
            over: 'shell/more-menu.tsx',
            async show(page) {
              await page.keyboard.press('Escape')
              await press(page, /^More/)
              await page.getByRole('menuitem', { name: /^Audit log/ }).waitFor()
            },
          },
        ],
      },
      { path: '/', token: mira, looks: [{ at: 'for a moderator', show: heading('Live') }] },
    ],
    '/cues': [
      {
        path: '/cues',
        looks: [
          { at: 'a cue', show: heading(/free the orc lord/) },
          {
            at: 'a note',
            async show(page) {
              await press(page, 'Note')
              await page.getByRole('textbox', { name: 'Note' }).fill('He is at the gate.')
            },
          },
        ],
      },
    ],
    '/calendar': [
      { path: '/calendar?view=month&on=2031-03-09', looks: [{ at: 'a month', show: heading('Calendar: March 2031') }] },
      {
        path: '/calendar?view=week&on=2031-03-09',
        looks: [
          { at: 'a week', show: (page) => page.getByRole('button', { name: 'Event nights' }).first().waitFor() },
          {
            at: 'what is planned',
            over: 'calendar/occurrence-drawer.tsx',
            async show(page) {
              await press(page, 'Event nights')
              await page.getByRole('link', { name: 'Make its run …' }).waitFor()
            },
          },
          {
            at: 'what has a run',
            async show(page) {
              await leave(page)
              await press(page, 'Invasion of Yew')
              await page.getByRole('button', { name: 'Move …' }).waitFor()
            },
          },
          {
            at: 'moving it',
            over: 'ui/control-dialog.tsx',
            async show(page) {
              await press(page, 'Move …')
              await page.getByRole('dialog', { name: 'Move the start?' }).waitFor()
            },
          },
        ],
      },
      { path: '/calendar?view=day&on=2031-03-09', looks: [{ at: 'a day', show: heading(/9 March 2031/) }] },
      { path: '/calendar?view=day&on=2001-03-09', looks: [{ at: 'an empty day', show: heading('Nothing starts') }] },
    ],
    '/runs': [{ path: '/runs', looks: [{ at: 'runs', show: heading('Runs') }, filters] }],
    '/runs/$runId': [
      {
        path: `/runs/${waiting}`,
        looks: [
          { at: 'a run that waits', show: (page) => page.getByRole('button', { name: 'Cancel run …' }).waitFor() },
          ...parts,
          {
            at: 'a step',
            async show(page) {
              await press(page, /^First wave/)
              await page.getByText('"creature": "orc"').waitFor()
            },
          },
          tab('Log'),
          {
            at: 'a line',
            async show(page) {
              await page
                .getByRole('option')
                .filter({ hasText: /orc spawned/ })
                .click()
              await page.getByRole('region', { name: /^Line \d+$/ }).waitFor()
            },
          },
          {
            at: 'no line',
            async show(page) {
              await page.getByRole('textbox', { name: 'Search the log' }).fill('nothing of this kind')
              await page.getByText('No line matches').waitFor()
            },
          },
          ...['Ledger', 'People', 'Facts'].map(tab),
          {
            at: 'cancelling',
            over: 'ui/control-dialog.tsx',
            async show(page) {
              await press(page, 'Cancel run …')
              await page.getByRole('dialog', { name: 'Cancel this run?' }).waitFor()
            },
          },
        ],
      },
      {
        path: `/runs/${ended}`,
        looks: [
          { at: 'a run that is over', show: (page) => page.getByText('It is done.').waitFor() },
          ...[...(isPhone ? ['Rundown'] : []), 'Log', 'Ledger', 'People'].map(tab),
        ],
      },
      {
        path: `/runs/${failed}`,
        looks: [
          { at: 'a step that failed', show: (page) => page.getByText('the fuse is blown').first().waitFor() },
          {
            at: 'trying again without a reason',
            over: 'ui/control-dialog.tsx',
            async show(page) {
              await press(page, 'Retry …')
              await press(page, 'Make it pending')
              await page.getByText('Say why').waitFor()
            },
          },
        ],
      },
      { path: '/runs/run_nothing', looks: [{ at: 'no run', show: heading(/^(There is no run|The run could not)/) }] },
    ],
    '/start': [
      {
        path: '/start',
        looks: [{ at: 'events', show: (page) => page.getByRole('list', { name: 'Events' }).waitFor() }],
      },
      { path: '/start', token: mira, looks: [{ at: 'not allowed', show: heading(/needs the role ADMIN/) }] },
    ],
    '/start/$slug': [
      {
        path: '/start/invasion-of-yew',
        looks: [
          { at: 'the form', show: heading('Start Invasion of Yew') },
          {
            at: 'what is wrong',
            async show(page) {
              await page.getByRole('textbox', { name: 'Creatures per wave' }).fill('many')
              await page.getByRole('radio', { name: 'At an instant' }).check()
              await press(page, 'Schedule it')
              await page.getByText('"Creatures per wave" must be a whole number.').waitFor()
            },
          },
        ],
      },
      { path: '/start/nothing', looks: [{ at: 'no event', show: heading('There is no event of this name') }] },
      { path: '/start/nights', token: mira, looks: [{ at: 'not allowed', show: heading(/needs the role ADMIN/) }] },
    ],
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
        token: scene.shard,
        looks: [{ at: 'a game server', show: (page) => page.getByText('for a game server').waitFor() }],
      },
    ],
  }
}

export const tokenOf = ({ token = TOKEN }: Visit): string | null => token
