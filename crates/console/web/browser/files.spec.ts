/** Files: the map, a path tried out, the log, and the review of an overlay. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Piton } from './piton'
import { expect, press, test } from './test'

/** Lets an agent change files in the scratchpad. */
async function change(piton: Piton, files: Record<string, string>): Promise<void> {
  const agent = await piton.agent()
  for (const [path, content] of Object.entries(files)) await agent.call('write', { path: `/scratch/${path}`, content })
  agent.leave()
}

test('the map says what agents may touch, and a path who answers for it', async ({ page }) => {
  await page.goto('/files')
  await expect(page.getByRole('row', { name: /\/project/ }).first()).toContainText('read-only')
  await page.getByRole('tab', { name: 'Try a path' }).click()
  await page.getByRole('textbox').fill('/project/src/pay.rs')
  const tools = page.getByRole('tabpanel').getByRole('listitem')
  await expect(tools.filter({ hasText: 'edit' })).toContainText('Refused')
  await expect(tools.filter({ hasText: 'grep' })).toContainText('Allowed')
  await page.getByRole('textbox').fill('/project/.env')
  await expect(page.getByText('Hidden', { exact: true })).toBeVisible()
  await page.getByRole('tab', { name: 'Log' }).click()
  await expect(page.getByText('/scratch/docs/charges.md')).toBeVisible()
  await page.getByRole('textbox', { name: 'Below a path' }).fill('/scratch/src')
  await expect(page.getByText('/scratch/docs/charges.md')).toBeHidden()
})

test('a change is reviewed and applied with the mouse, another dropped', async ({ page, shop }) => {
  await change(shop.piton, { 'docs/hours.md': '# Hours\n\nAlways open.\n', 'docs/jokes.md': 'None.\n' })
  await page.goto('/files')
  await page.getByRole('link', { name: 'Review' }).click()
  await page.getByRole('button', { name: /docs\/hours\.md/ }).click()
  await expect(page.getByRole('region', { name: 'docs/hours.md' })).toContainText('Always open.')
  await page.getByRole('button', { name: /^Apply a$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('Applied 1 change.')).toBeVisible()
  expect(readFileSync(join(shop.piton.project, 'docs/hours.md'), 'utf8')).toBe('# Hours\n\nAlways open.\n')
  await page.getByRole('button', { name: /docs\/jokes\.md/ }).click()
  await page.getByRole('button', { name: /^Drop r$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
  await expect(page.getByText('Dropped 1 change.')).toBeVisible()
  await expect(page.getByRole('button', { name: /docs\/jokes\.md/ })).toBeHidden()
  expect(existsSync(join(shop.piton.project, 'docs/jokes.md'))).toBe(false)
})

test('by keyboard alone: a file is marked as seen and applied, and what changed below is said first', async ({ page, shop }) => {
  await page.goto('/files?overlay=/scratch')
  const current = page.locator('.file[aria-current]')
  await expect(current).toBeVisible()
  for (let i = 0; i < 12 && !(await current.textContent())?.includes('src/pay.rs'); i++) await press(page, 'j')
  await expect(page.getByRole('region', { name: 'src/pay.rs' })).toContainText('Changed below')
  await press(page, 'v')
  await expect(page.getByText(/1 of \d+ seen/)).toBeVisible()
  for (let i = 0; i < 12 && !(await current.textContent())?.includes('src/pay.rs'); i++) await press(page, 'k')
  await press(page, 'a')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('will be replaced')
  await press(page, 'Tab')
  await expect(dialog.getByRole('button', { name: 'Apply' })).toBeFocused()
  await press(page, 'Enter')
  await expect(page.getByText('Applied 1 change.')).toBeVisible()
  expect(readFileSync(join(shop.piton.project, 'src/pay.rs'), 'utf8')).toContain('charge_once')
  await press(page, 'Escape')
  await expect(page.getByRole('heading', { name: 'Files' })).toBeVisible()
})

test('what changes after it was seen is not applied', async ({ page, shop }) => {
  await change(shop.piton, { 'docs/prices.md': 'A cup: 2\n' })
  await page.goto('/files?overlay=/scratch&file=docs/prices.md')
  await expect(page.getByRole('region', { name: 'docs/prices.md' })).toContainText('A cup: 2')
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await change(shop.piton, { 'docs/prices.md': 'A cup: 9\n' })
  await page.getByRole('button', { name: /^Apply a$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await expect(page.locator('.toast').first()).toBeVisible()
  expect(existsSync(join(shop.piton.project, 'docs/prices.md'))).toBe(false)
  await expect(page.getByRole('region', { name: 'docs/prices.md' })).toContainText('A cup: 9')
})
