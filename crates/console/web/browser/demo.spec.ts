/** The demo: a stranger presses one button, watches, approves, and removes it. */
import { Piton } from './piton'
import { expect, test } from './test'

test.use({ storageState: undefined })
test('a demo run is watched live, approved in the page, finishes and is removed', async ({ page }) => {
  test.setTimeout(120_000)
  const piton = new Piton()
  try {
    await piton.console()
    await page.goto(piton.link())
    const watch = page.getByRole('button', { name: 'Watch a demo run' })
    await watch.click()
    await page.waitForURL(/\/runs\//)
    const approve = page.getByRole('button', { name: /^Approve/ }).first()
    await expect(approve).toBeVisible({ timeout: 60_000 })
    await approve.click()
    await expect(page.getByText('Complete').first()).toBeVisible({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Remove the demo' }).click()
    await expect(watch).toBeVisible()
  } finally {
    piton.end()
  }
})
