/** The fixtures of the suite: a world for each worker, a page that is signed in, and no message in the browser's console. */
import { test as base, expect, type Page } from '@playwright/test'
import axe from 'axe-core'
import type { ConsoleProcess } from './piton'
import { Piton } from './piton'
import { makeWorld, type World } from './world'

export { expect }

interface Shop extends World {
  piton: Piton
  console: ConsoleProcess
  /** What a browser keeps once it has entered. */
  entered: Awaited<ReturnType<import('@playwright/test').BrowserContext['storageState']>>
}

interface Messages {
  /** Lets a message of the browser pass: what a refused request leaves there. */
  expectMessage: (text: RegExp) => void
}

export const test = base.extend<Messages, { shop: Shop }>({
  shop: [
    async ({ browser }, use) => {
      const piton = new Piton()
      try {
        const world = await makeWorld(piton)
        const console = await piton.console()
        const context = await browser.newContext()
        const page = await context.newPage()
        await page.goto(piton.link())
        await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
        const entered = await context.storageState()
        await context.close()
        await use({ ...world, piton, console, entered })
      } finally {
        piton.end()
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  storageState: async ({ shop }, use) => use(shop.entered),
  baseURL: async ({ shop }, use) => use(shop.console.url),
  // Every test listens, whether it names the fixture or not.
  expectMessage: [
    async ({ page }, use) => {
      const messages: string[] = []
      const expected: RegExp[] = []
      page.on('console', (message) => messages.push(`${message.type()}: ${message.text()} ${message.location().url}`))
      page.on('pageerror', (error) => messages.push(String(error.stack)))
      await use((text) => expected.push(text))
      expect(messages.filter((message) => !expected.some((text) => text.test(message)))).toEqual([])
    },
    { auto: true },
  ],
})

/** The address of a run. */
export const at = ({ run }: { run: { sessionId: string; runId: string } }, query = '') => `/runs/${run.sessionId}/${run.runId}${query}`

/** Presses keys, one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** What axe has against the page as it is. It is evaluated from outside of the page, so the policy stays as it is. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] }),
  )
  return found.violations.flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.target.join(' ')}: ${node.failureSummary}`))
}
