/** Workflows: source with live validation, compiled, pinned and costs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, press, test } from './test'

const editor = (page: Page) => page.locator('.editor .cm-content')

/** Replaces what the editor holds, as somebody who types. */
async function rewrite(page: Page, text: string): Promise<void> {
  await editor(page).click()
  await press(page, 'Control+a')
  await page.keyboard.insertText(text)
}

test('workflows are listed by where they come from, with the file that does not load', async ({ page }) => {
  await page.goto('/workflows')
  await expect(page.getByRole('heading', { name: 'Of this project' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Built in' })).toBeVisible()
  await expect(page.getByText('refunds.json')).toBeVisible()
  await page.getByRole('textbox', { name: 'Filter workflows' }).fill('release')
  await expect(page.getByRole('link', { name: /Investigate a fault/ })).toBeHidden()
  await page.getByRole('link', { name: /Release the shop/ }).click()
  await expect(page).toHaveURL(/project\.release/)
  await page.getByRole('textbox', { name: 'Filter workflows' }).fill('')
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('investigation')
  await expect(page.getByRole('link', { name: /Investigate a fault/ })).toBeVisible()
})

test('a source is checked while somebody types, saved, and its problems are marked where they are', async ({ page, shop }) => {
  const path = join(shop.piton.project, '.piton/workflows/release.json')
  const before = readFileSync(path, 'utf8')
  await page.goto('/workflows/project.release')
  await expect(editor(page)).toContainText('Release the shop')
  await expect(page.getByText('Loads')).toBeVisible()
  const save = page.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await rewrite(page, before.replace('"steps"', '"stepz"'))
  await expect(page.getByText(/\d problem/).first()).toBeVisible()
  await press(page, 'Control+s')
  await expect(page.getByText('Not saved')).toBeVisible()
  expect(readFileSync(path, 'utf8')).toBe(before)
  const after = before.replace('Release the shop', 'Release the tea shop')
  await rewrite(page, after)
  await expect(page.getByText('Loads')).toBeVisible()
  await save.click()
  await expect(page.getByText('Saved.')).toBeVisible()
  expect(readFileSync(path, 'utf8')).toBe(after)
  await expect(page.getByRole('link', { name: /Release the tea shop/ })).toBeVisible()
})

test('a save over what somebody else wrote is a conflict that shows both', async ({ page, shop }) => {
  const path = join(shop.piton.project, '.piton/workflows/release.json')
  const before = readFileSync(path, 'utf8')
  await page.goto('/workflows/project.release')
  await expect(editor(page)).toContainText('Collect what changed')
  const theirs = before.replace('Collect what changed', 'Collect everything')
  const mine = before.replace('Collect what changed', 'Collect what is new')
  await rewrite(page, mine)
  await expect(page.getByText('Loads')).toBeVisible()
  writeFileSync(path, theirs)
  await press(page, 'Control+s')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Somebody else changed this file')
  await expect(dialog).toContainText('Collect everything')
  await expect(dialog).toContainText('Collect what is new')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  expect(readFileSync(path, 'utf8')).toBe(theirs)
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Save mine over it' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  expect(readFileSync(path, 'utf8')).toBe(mine)
  await rewrite(page, theirs)
  writeFileSync(path, before)
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Take the file as it is' }).click()
  await expect(editor(page)).toContainText('Collect what changed')
})

test('a built-in workflow is copied, and the copy can be edited', async ({ page }) => {
  await page.goto('/workflows/wr.tour')
  await expect(page.getByText('read-only')).toBeVisible()
  await page.getByRole('button', { name: 'Copy to user.…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('user.our_tour')
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect(page).toHaveURL(/user\.our_tour/)
  await expect(editor(page)).toContainText('user.our_tour')
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
})

test('compiled, pinned and costs are views of their own', async ({ page, shop }) => {
  await page.goto('/workflows/project.investigate')
  await page.getByRole('tab', { name: 'Compiled' }).click()
  await expect(page.getByText('Test one suspect').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Pinned' }).click()
  await expect(page.getByText(shop.main.run.label).first()).toBeVisible()
  await page.getByText(shop.main.run.label).first().click()
  await expect(page.getByText(/differs?\b/).first()).toBeVisible()
  await page.getByRole('tab', { name: /cost/i }).click()
  await expect(page.getByRole('row', { name: /Reproduce it/ })).toContainText('Write a line `Seen')
})
