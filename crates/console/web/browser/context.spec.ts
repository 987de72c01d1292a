/** Context: the tree by freshness, the frames of a node, and what a prompt would get. */
import { expect, press, test } from './test'

test('the tree says what is stale, and a frame why', async ({ page }) => {
  await page.goto('/context')
  await page.getByRole('button', { name: 'Open src' }).click()
  await page.getByRole('button', { name: 'cart.rs' }).click()
  await expect(page.getByRole('tabpanel')).toContainText('Stale')
  await page.getByRole('button', { name: 'pay.rs' }).click()
  await expect(page.getByRole('tabpanel')).toContainText('without a key')
  await expect(page.getByRole('tabpanel')).toContainText('finding')
  await page.getByRole('navigation', { name: 'Directory' }).getByRole('button', { name: 'project' }).click()
  await expect(page.getByRole('button', { name: 'README.md' })).toBeVisible()
})

test('a smaller budget leaves frames out of a prompt, and says which', async ({ page }) => {
  await page.goto('/context?path=src/pay.rs&dir=src&tab=compose')
  const slider = page.getByRole('slider')
  await expect(slider).toBeVisible()
  const all = await page.getByRole('tabpanel').textContent()
  await slider.fill(await slider.getAttribute('min') ?? '0')
  await expect(page.getByRole('tabpanel')).not.toHaveText(all ?? '')
})

test('by keyboard alone: entries are walked, a directory is entered and left', async ({ page }) => {
  await page.goto('/context')
  await expect(page.getByRole('button', { name: 'README.md' })).toBeVisible()
  const current = page.locator('.entry.selected')
  for (let i = 0; i < 8; i++) {
    await press(page, 'j')
    await expect(current).toBeVisible()
    if ((await current.textContent())?.includes('src/')) break
  }
  await press(page, 'Enter')
  await expect(page.getByRole('button', { name: 'pay.rs' })).toBeVisible()
  await press(page, 'Escape')
  await expect(page.getByRole('button', { name: 'README.md' })).toBeVisible()
})

test('a frame that somebody writes meanwhile appears', async ({ page, shop }) => {
  await page.goto('/context?path=docs')
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible()
  shop.piton.run('context', 'put-frame', 'docs', '--type', 'note', '--text', 'Two pages for people who buy tea.')
  await expect(page.getByText('Two pages for people who buy tea.')).toBeVisible()
})
