/** Every page, in both themes: nothing that axe objects to, and nothing wider than the window. */
import { show, VIEWS } from './pages'
import { expect, test, violations } from './test'

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme })
    for (const view of VIEWS) {
      test(`${view.name} can be used by everybody`, async ({ page, shop, expectMessage }) => {
        if (view.name === 'runs-query') expectMessage(/400/)
        await show(page, view, shop)
        expect(await violations(page)).toEqual([])
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 844 })
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `at ${width} px`).toBeLessThanOrEqual(0)
        }
      })
    }
  })
}
