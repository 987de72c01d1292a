/** Settings: what is asked for and in force, the theme, and signing out. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './test'

test('a setting is changed, kept in the file of the person, and said to be in force or not', async ({ page, shop, expectMessage }) => {
  expectMessage(/400/)
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Change retention.days' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('many')
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The dialog stays, with what is wrong beside what was typed.
  await expect(dialog.getByRole('alert')).toContainText('many')
  await dialog.getByRole('textbox').fill('45')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(/^Saved\./)).toBeVisible()
  await expect(page.getByRole('row', { name: /retention\.days/ })).toContainText('45')
  expect(readFileSync(join(shop.piton.home, '.config/piton/config.toml'), 'utf8')).toContain('days = 45')
})

test('another data directory needs a confirmation, and what cannot work is refused or warned about', async ({ page, shop, expectMessage }) => {
  expectMessage(/400/)
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Change data.dir' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Your runs stay in')
  await dialog.getByRole('textbox').fill('/nonexistent/x')
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await dialog.getByRole('checkbox').check()
  await save.click()
  await expect(dialog.getByRole('alert')).toContainText('no directory')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Change http.bind' }).click()
  await dialog.getByRole('textbox').fill('0.0.0.0')
  await save.click()
  await expect(page.getByText('can be reached from other machines')).toBeVisible()
  await page.getByRole('button', { name: 'Change http.bind' }).click()
  await dialog.getByRole('button', { name: 'Use the default' }).click()
  await expect(page.getByText('can be reached from other machines')).toBeHidden()
  expect(readFileSync(join(shop.piton.home, '.config/piton/config.toml'), 'utf8')).not.toContain('0.0.0.0')
})

// shows in part: WR-507 (the theme is changed at once)
test('the theme follows the system until somebody chooses one', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/settings')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const dark = await ground()
  await page.getByRole('button', { name: 'Light', exact: true }).click()
  expect(await ground()).not.toBe(dark)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Light', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'As the system' }).click()
  expect(await ground()).toBe(dark)
})

test.describe('a browser of its own', () => {
  test.use({ storageState: undefined })
  test('signs out, and needs another link', async ({ page, shop, expectMessage }) => {
    expectMessage(/401/)
    const link = shop.piton.link()
    await page.goto(link)
    await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
    // The key is in no address any more.
    expect(page.url()).toBe(`${shop.console.url}/`)
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByText('Not signed in', { exact: true })).toBeVisible()
    expect(await page.evaluate(() => localStorage.getItem('piton-console'))).toBeNull()
    await page.goto(link)
    await expect(page.getByText('This link cannot be used')).toBeVisible()
  })
})
