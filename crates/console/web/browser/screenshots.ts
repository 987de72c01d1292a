/**
 * Screenshots of every page: both themes, on a desk and on a phone. The clock of the program and of the page is set, so
 * that they tell of an ordinary day. `cargo xtask screenshots` runs this.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { Clock } from './clock'
import { show, VIEWS } from './pages'
import { Piton } from './piton'
import { makeProject, makeWorld } from './world'

const PLACE = join(import.meta.dirname, '../screenshots')
const NOW = '2026-05-12T10:24:00Z'
/** When each part of the world was made, and how many seconds pass between two calls of its agent. */
const DAYS: Record<string, [start: string, seconds: number]> = {
  context: ['2026-05-08T08:10:00Z', 40],
  tour: ['2026-05-08T08:40:00Z', 35],
  flow: ['2026-05-11T15:02:00Z', 1],
  gaps: ['2026-05-12T02:00:00Z', 300],
  main: ['2026-05-12T08:31:00Z', 220],
  choice: ['2026-05-12T09:48:00Z', 400],
  blocked: ['2026-05-12T10:02:00Z', 90],
  running: ['2026-05-12T10:12:00Z', 200],
  broken: [NOW, 0],
}
const SIZES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }] as const

test('screenshots', async ({ browser }) => {
  test.setTimeout(600_000)
  mkdirSync(PLACE, { recursive: true })
  const clock = new Clock(NOW)
  const full = new Piton('shop', clock)
  const empty = new Piton('shop', clock)
  try {
    makeProject(empty)
    const world = await makeWorld(full, (what) => {
      const [start, seconds] = DAYS[what] ?? [NOW, 0]
      clock.set(start)
      clock.walk(seconds)
    })
    clock.set(NOW)
    const welcome = { name: 'welcome', address: () => '/', shows: 'Nothing has run yet' }
    for (const [piton, views] of [[full, VIEWS], [empty, [welcome]]] as const) {
      const console = await piton.console()
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ baseURL: console.url, colorScheme, deviceScaleFactor: 1, reducedMotion: 'reduce', timezoneId: 'UTC' })
        const page = await context.newPage()
        page.setDefaultTimeout(15_000)
        await page.clock.setFixedTime(clock.now)
        await page.goto(piton.link())
        await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
        for (const view of views.filter((it) => it.name.startsWith(process.env['ONLY'] ?? ''))) {
          await page.setViewportSize(SIZES[0])
          await show(page, view, world)
          for (const size of SIZES) {
            await page.setViewportSize(size)
            // A pointer would hover; what fades has faded then.
            await page.mouse.move(0, 0)
            await page.waitForTimeout(250)
            await page.screenshot({ path: join(PLACE, `${view.name}-${colorScheme}-${size.width}.png`) })
          }
        }
        await context.close()
      }
    }
  } finally {
    full.end()
    empty.end()
  }
})
