import { expect } from 'vitest'
import { tooSmall } from './browser.ts'
import { filters, heading, leave, type Pages, press, tab } from './look.ts'
import type { Scene } from './scene.ts'

/** A look at each state of what shows runs: those that go on, are over and are to come, and starting one. */
export function livePages({ waiting, ended, failed, mira }: Scene, isPhone: boolean): Pages {
  const parts = isPhone ? [tab('Rundown')] : []
  return {
    '/': [
      {
        path: '/',
        looks: [
          { at: 'live', show: (page) => page.getByRole('heading', { name: /^Live/ }).waitFor() },
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
      {
        path: '/calendar?view=month&on=2031-03-09',
        looks: [
          { at: 'a month', show: (page) => page.getByRole('button', { name: 'Event nights' }).first().waitFor() },
        ],
      },
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
    '/runs': [
      {
        path: '/runs',
        looks: [
          { at: 'runs', show: heading('Runs') },
          filters,
          {
            at: 'what is chosen',
            async show(page) {
              await page.getByRole('combobox', { name: 'Status' }).click()
              await page.getByRole('option', { name: 'Missed' }).click()
              await page.locator('.mantine-Pill-remove').waitFor()
              // What can be chosen still lies over the page.
              if (isPhone) expect(await tooSmall(page)).toEqual([])
              await page.keyboard.press('Escape')
              await page.getByRole('option').first().waitFor({ state: 'hidden' })
            },
          },
        ],
      },
    ],
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
      {
        path: '/runs/run_00000000-0000-7000-8000-000000000000',
        looks: [{ at: 'no run', show: heading(/^There is no run/) }],
      },
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
  }
}
