/** What is around every page: search, keys, and a console that goes away and comes back. */
import { Piton } from './piton'
import { at, expect, press, test } from './test'

test('search finds runs by what was written in them, and pages by their name', async ({ page, shop }) => {
  await page.goto('/')
  await press(page, 'Control+k')
  const search = page.getByRole('dialog', { name: 'Search' })
  await page.keyboard.type('umlaut')
  await expect(search.getByRole('option').filter({ hasText: shop.running.run.label })).toBeVisible()
  await search.getByRole('option').filter({ hasText: shop.running.run.label }).click()
  await expect(page).toHaveURL(new RegExp(shop.running.run.runId))
  await press(page, '/')
  await page.keyboard.type('sett')
  await press(page, 'Enter')
  await expect(page).toHaveURL(/\/settings/)
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.keyboard.type('zzzz')
  await expect(search).toContainText('Nothing fits')
  await press(page, 'Escape')
  await expect(search).toBeHidden()
})

test('every page is two keys away, and the list of keys is one', async ({ page, shop }) => {
  await page.goto('/')
  await expect(page.getByText('Waits for you').first()).toBeVisible()
  for (const [key, title] of [['r', 'Runs'], ['w', 'Workflows'], ['b', 'Backpacks'], ['f', 'Files'], ['c', 'Context'], ['s', 'Settings'], ['o', 'Overview']] as const) {
    await press(page, 'g', key)
    await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible()
  }
  await page.goto(at(shop.main))
  await expect(page.getByRole('heading', { name: 'Have the fix approved' })).toBeVisible()
  await press(page, '?')
  await expect(page.getByRole('dialog')).toContainText('Fork at this step')
  await press(page, 'Escape')
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
})

test('something that is not there is said with what to do next', async ({ page, expectMessage }) => {
  expectMessage(/404|400/)
  await page.goto('/runs/sess_00000000000000000000000000/run_00000000000000000000000000')
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test.describe('with a console of its own', () => {
  test.use({ storageState: undefined })
  test('a console that goes away is said so, and what happened meanwhile is there when it is back', async ({ page, expectMessage }) => {
    expectMessage(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/)
    const piton = new Piton()
    try {
      const console = await piton.console()
      await page.goto(piton.link())
      await expect(page.getByText('Nothing has run yet')).toBeVisible()
      await console.kill()
      await expect(page.getByText('The console does not answer.')).toBeVisible({ timeout: 20_000 })
      const agent = await piton.agent()
      const begun = await agent.start('wr.tour', 'Begun while nobody could look')
      await piton.console(console.port)
      await expect(page.getByText('The console does not answer.')).toBeHidden({ timeout: 20_000 })
      await expect(page.getByText(begun.run.label)).toBeVisible()
      agent.leave()
    } finally {
      piton.end()
    }
  })
})
