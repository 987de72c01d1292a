/** Every page, in both themes: nothing that axe objects to, and nothing wider than the window. */
import { show, VIEWS } from './pages'
import { expect, test, violations } from './test'

// They change nothing, so both workers share them.
test.describe.configure({ mode: 'parallel' })

for (const view of VIEWS) {
  test(`${view.name} can be used by everybody`, async ({ page, shop }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await show(page, view, shop)
    expect(await violations(page), 'in the light theme').toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page), 'in the dark theme').toEqual([])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `at ${width} px`).toBeLessThanOrEqual(0)
    }
  })
}
