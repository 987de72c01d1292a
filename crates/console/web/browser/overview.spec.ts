/** Overview: what waits for a person, and how it is settled. */
import { Piton } from './piton'
import { expect, press, test } from './test'
import { askForApproval, makeProject } from './world'

test('what waits, runs, went wrong and does not load is there at a glance', async ({ page, shop }) => {
  await page.goto('/')
  const region = (name: string) => page.getByRole('region', { name })
  await expect(region('Waits for you')).toContainText('Publish to every customer at once')
  await expect(region('Running')).toContainText(shop.running.run.label)
  await expect(region('Went wrong')).toContainText('The cart forgets its last item')
  await expect(region('Went wrong')).toContainText('Release 2.3.1 over night')
  await expect(region('Files and data')).toContainText('/scratch has')
  await expect(region('Files and data')).toContainText('refunds.json')
  await page.getByRole('link', { name: shop.running.run.label }).click()
  await expect(page).toHaveURL(new RegExp(shop.running.run.runId))
})

test('a question appears while the page is open, is approved with the mouse, and the agent goes on', async ({ page, shop }) => {
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toBeVisible()
  const agent = await shop.piton.agent()
  const asked = await askForApproval(agent, 'The total is a cent too low')
  const card = page.getByRole('article', { name: asked.run.label })
  await expect(card).toContainText('May this fix go into the project?')
  await card.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('status').getByText(`Approved: ${asked.run.label}`)).toBeVisible()
  await expect(card).toBeHidden()
  const next = await agent.submit(asked, 'The fix is approved, and goes in.')
  expect(next.pending?.stepId).toBe('close')
  await agent.submit(next, 'Closed, and the reporter knows.')
  agent.leave()
})

test('a question is answered with the mouse', async ({ page, shop }) => {
  const agent = await shop.piton.agent()
  const asked = await askForApproval(agent, 'Two tabs share one cart')
  await page.goto('/')
  const card = page.getByRole('article', { name: asked.run.label })
  await card.getByRole('button', { name: 'Answer…' }).click()
  await card.getByRole('textbox').fill('Yes, but only for new carts.')
  await card.getByRole('button', { name: 'Send the answer' }).click()
  await expect(page.getByText(`Answered: ${asked.run.label}`)).toBeVisible()
  await expect(card).toBeHidden()
  agent.leave()
})

test('by keyboard alone: a question is refused with its reason, and another approved', async ({ page, shop }) => {
  const agent = await shop.piton.agent()
  const second = await askForApproval(agent, 'The receipt names the wrong city')
  const first = await askForApproval(agent, 'The receipt comes twice')
  await page.goto('/')
  const card = (of: typeof first) => page.getByRole('article', { name: of.run.label })
  await expect(card(first)).toBeVisible()
  const selected = page.locator('article.selected')
  const choose = async (of: typeof first) => {
    for (let i = 0; i < 8 && !(await selected.getAttribute('aria-label'))?.startsWith(of.run.label); i++) await press(page, 'j')
    await expect(selected).toHaveAttribute('aria-label', new RegExp(of.run.label))
  }
  await choose(first)
  await press(page, 'r')
  await expect(card(first).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('Not before the audit.')
  await press(page, 'Control+Enter')
  await expect(page.getByText(`Refused: ${first.run.label}`)).toBeVisible()
  await expect(card(first)).toBeHidden()
  await press(page, 'k', 'k', 'k', 'k', 'k')
  await choose(second)
  await press(page, 'a')
  await expect(page.getByText(`Approved: ${second.run.label}`)).toBeVisible()
  // The agent reads the reason.
  const told = await agent.submit(first, 'Here it is again.')
  expect(JSON.stringify(told)).toContain('Not before the audit.')
  agent.leave()
})

test('of two people who decide the same question one wins, and the other is told', async ({ page, shop, expectMessage }) => {
  expectMessage(/400|409/)
  const agent = await shop.piton.agent()
  const asked = await askForApproval(agent, 'The basket is empty after a login')
  await page.goto('/')
  const card = page.getByRole('article', { name: asked.run.label })
  await expect(card).toBeVisible()
  // Their word arrives before the page hears of it.
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  shop.piton.run('approve', asked.run.label)
  await card.getByRole('button', { name: 'Refuse…' }).click()
  await card.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.locator('.toast.failure').first()).toBeVisible()
  await expect(card).toBeHidden()
  agent.leave()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })
  test('a question is read and approved', async ({ page, shop }) => {
    const agent = await shop.piton.agent()
    const asked = await askForApproval(agent, 'The price has no currency')
    await page.goto('/')
    const card = page.getByRole('article', { name: asked.run.label })
    const approve = card.getByRole('button', { name: 'Approve' })
    await approve.scrollIntoViewIfNeeded()
    const box = await approve.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(40)
    // What the agent says about it is one touch away.
    await card.getByRole('link', { name: asked.run.label }).tap()
    await expect(page.getByText('each order has a key now')).toBeVisible()
    await page.getByRole('button', { name: 'Approve' }).tap()
    await expect(page.getByText(`Approved: ${asked.run.label}`)).toBeVisible()
    await page.getByRole('button', { name: 'Back to the timeline' }).tap()
    await expect(page.getByRole('button', { name: /Have the fix approved/ })).toBeVisible()
    await page.getByRole('button', { name: 'Menu' }).tap()
    await page.getByRole('link', { name: 'Runs' }).first().tap()
    await expect(page.getByText('The price has no currency')).toBeVisible()
    agent.leave()
  })
})

test.describe('without any run', () => {
  test.use({ storageState: undefined })
  test('the page says how to connect an agent, and shows the first run when it begins', async ({ page }) => {
    const piton = new Piton()
    try {
      makeProject(piton)
      await piton.console()
      await page.goto(piton.link())
      await expect(page.getByText('Nothing has run yet')).toBeVisible()
      await expect(page.getByText('piton mcp install --client claude')).toBeVisible()
      const agent = await piton.agent()
      const begun = await agent.start('wr.tour', 'See what this is')
      await expect(page.getByText(begun.run.label)).toBeVisible()
      agent.leave()
    } finally {
      piton.end()
    }
  })
})
