/** A run as one HTML file, opened from disk as whoever it was sent to would. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, violations } from './test'

const TABS = ['Prompt', 'Outputs', 'Attempts', 'Why', 'Wrote', 'Context', 'Events']

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme, storageState: undefined })
    test('an exported run shows everything about a step, asks for nothing and names no secret', async ({ page, shop }) => {
      const file = join(shop.piton.home, `${colorScheme}.html`)
      shop.piton.run('session', 'export', shop.main.run.label, '--html', file)
      const url = pathToFileURL(file).href
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url() !== url && !request.url().startsWith('data:')) asked.push(request.url())
      })
      await page.goto(url)
      await expect(page.getByText('Some customers are charged twice for one order')).toBeVisible()
      await page.getByRole('button', { name: /Reproduce it/ }).first().click()
      for (const tab of TABS) {
        await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
        await expect(page.getByText('This is not part of the file')).toHaveCount(0)
      }
      expect(await violations(page)).toEqual([])
      expect(asked).toEqual([])
      const text = await page.content()
      expect(text).not.toContain(shop.piton.home)
      expect(text).not.toContain(shop.main.stateToken)
    })
  })
}
