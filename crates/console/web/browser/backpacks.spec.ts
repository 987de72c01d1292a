/** Backpacks: keys at any commit, log, difference, blame, protected values, and the flow over one. */
import { expect, press, test } from './test'

test('keys are shown with their values, and at any commit', async ({ page }) => {
  await page.goto('/backpacks')
  await page.getByRole('link', { name: /checkout/ }).click()
  await page.getByRole('button', { name: /^cause/ }).click()
  await expect(page.getByRole('region', { name: 'Value' })).toContainText('a timeout does not say whether the card was charged')
  await page.getByRole('button', { name: 'Back one commit' }).click()
  await page.getByRole('button', { name: 'Back one commit' }).click()
  await expect(page.getByText('You see this backpack as it was')).toBeVisible()
  await expect(page.getByRole('button', { name: /^cause/ })).toBeHidden()
  await page.getByRole('button', { name: 'Back to now' }).click()
  await expect(page.getByRole('button', { name: /^cause/ })).toBeVisible()
  await press(page, '[')
  await expect(page.getByText('You see this backpack as it was')).toBeVisible()
})

test('a protected value is shown only when somebody asks for it', async ({ page, shop }) => {
  await page.goto(`/backpacks/${shop.backpack}?key=customers`)
  await expect(page.getByText('Protected')).toBeVisible()
  await expect(page.getByText('ada@example.org')).toHaveCount(0)
  await page.getByRole('button', { name: 'Reveal…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).click()
  await expect(page.getByText('ada@example.org')).toBeVisible()
})

test('a key that an agent packs meanwhile appears, in the log too', async ({ page, shop }) => {
  await page.goto(`/backpacks/${shop.backpack}`)
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: /^cause/ })).toBeVisible()
  const agent = await shop.piton.agent()
  const run = await agent.start('project.investigate', 'Pack something')
  await agent.call('pack', { key: 'weather', value: 'rain', run: run.nextCall?.params.ackToken })
  agent.leave()
  await expect(page.getByRole('button', { name: /^weather/ })).toBeVisible()
  await page.getByRole('tab', { name: 'Log' }).click()
  await expect(page.getByRole('tabpanel')).toContainText('weather')
  await page.getByRole('combobox', { name: 'Action' }).selectOption('pack')
  await expect(page.getByRole('tabpanel')).toContainText('suspect')
})

test('difference, blame and quarantine answer for a backpack', async ({ page, shop }) => {
  await page.goto('/backpacks/support?tab=diff')
  await expect(page.getByRole('tabpanel')).toContainText('reply')
  await page.goto(`/backpacks/${shop.backpack}?tab=blame`)
  await page.getByRole('tabpanel').getByRole('link', { name: 'fix' }).first().click()
  await expect(page).toHaveURL(new RegExp(shop.main.run.runId))
  await page.goto(`/backpacks/${shop.backpack}?tab=quarantine`)
  await expect(page.getByText('Nothing was taken out of use.')).toBeVisible()
})

test('the flow over a backpack is a graph, with the way that it took', async ({ page }) => {
  await page.goto('/backpacks/support')
  await page.getByRole('tab', { name: 'Flow' }).click()
  await expect(page.getByRole('img', { name: /Graph of the flow/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Flow' })).toContainText('refund')
  await expect(page.getByRole('region', { name: 'Flow' })).toContainText('Not visited')
})
