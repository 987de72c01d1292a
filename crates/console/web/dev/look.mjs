/**
 * Takes screenshots of every page, both themes, at 1440 and 390 px, and fails on any message in the browser's console.
 * `node dev/look.mjs [filter] [--axe]`
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { NOW, id } from './fixtures.mjs'
import { start } from './server.mjs'

const SHOTS = join(import.meta.dirname, 'shots')
mkdirSync(SHOTS, { recursive: true })
const run = `/runs/${id('sess', 1)}/${id('run', 1)}`
const large = `/runs/${id('sess', 2)}/${id('run', 2)}`
const node = (n) => id('node', 1000 + n)

export const PAGES = [
  ['overview', '/'],
  ['empty', '/', { scene: 'empty' }],
  ['runs', '/runs'],
  ['runs-query', '/runs?q=status:blocked age<soon colour:red login&at=3', { keys: [' '] }],
  ['runs-none', '/runs?q=nothing'],
  ['run', run],
  ['run-hostile', `${run}?node=${node(3)}`],
  ['run-prompt', `${run}?node=${node(1)}&tab=prompt`],
  ['run-outputs', `${run}?node=${node(1)}&tab=outputs`],
  ['run-attempts', `${run}?node=${node(1)}&tab=attempts`],
  ['run-why', `${run}?node=${node(1)}&tab=why`],
  ['run-wrote', `${run}?node=${node(1)}&tab=wrote`],
  ['run-context', `${run}?node=${node(1)}&tab=context`],
  ['run-events', `${run}?node=${node(1)}&tab=events`],
  ['run-graph', `${run}?view=graph`],
  ['run-past', `${run}?at=${NOW - 2.6 * 3600_000}`],
  ['run-fork', run, { keys: ['f'] }],
  ['run-blame', run, { keys: ['b'] }],
  ['run-compare', `${run}?compare=${id('sess', 1)}/${id('run', 1)}&left=${node(20)}&right=${node(22)}`],
  ['run-branch', `${run}?node=${node(20)}`],
  ['run-export', run, { click: 'Export' }],
  ['run-large', large],
  ['run-large-graph', `${large}?view=graph`],
  ['run-damaged', null],
  ['search', '/', { keys: ['Control+k'], type: 'session' }],
  ['keys', run, { keys: ['?'] }],
  ['workflows', '/workflows'],
  ['workflow-source', '/workflows/team.release'],
  ['workflow-builtin', '/workflows/wr.bug_investigation'],
  ['workflow-compiled', '/workflows/wr.bug_investigation?view=compiled'],
  ['workflow-pinned', '/workflows/wr.bug_investigation?view=pinned'],
  ['workflow-costs', '/workflows/wr.bug_investigation?view=costs'],
  ['backpacks', '/backpacks'],
  ['backpack', '/backpacks/investigation'],
  ['backpack-log', '/backpacks/investigation?tab=log'],
  ['backpack-diff', '/backpacks/investigation?tab=diff'],
  ['backpack-flow', '/backpacks/investigation?tab=flow'],
  ['backpack-quarantine', '/backpacks/investigation?tab=quarantine'],
  ['files', '/files'],
  ['files-try', '/files?tab=try&path=/shop/.env'],
  ['files-log', '/files?tab=log'],
  ['files-review', '/files?overlay=/shop-changes'],
  ['context', '/context?path=src/login'],
  ['context-compose', '/context?path=src/login&tab=compose'],
  ['settings', '/settings'],
  ['project', '/workflows?project=/home/mara/tools', { click: 'Project:' }],
]

const filters = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const withAxe = process.argv.includes('--axe')
const only = process.argv.find((word) => word.startsWith('--only='))?.slice(7)
const full = await start(8131)
const empty = await start(8132, 'empty')
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
let failures = 0

for (const theme of ['light', 'dark']) {
  for (const width of [1440, 390]) {
    if (only && only !== `${theme}-${width}`) continue
    const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme: theme, deviceScaleFactor: 1, reducedMotion: 'reduce', timezoneId: 'UTC', bypassCSP: false })
    await context.addInitScript(() => localStorage.setItem('piton-console', 'dev'))
    for (const [name, path, how = {}] of PAGES) {
      if (filters.length > 0 && !filters.some((filter) => name.startsWith(filter))) continue
      const page = await context.newPage()
      await page.clock.setFixedTime(NOW)
      const messages = []
      page.on('console', (message) => messages.push(message.text()))
      page.on('pageerror', (error) => messages.push(String(error.stack)))
      const address = path ?? `/runs/${full.world.damaged.run.summary.sessionId}/${id('run', 999_003)}`
      await page.goto(`http://127.0.0.1:${how.scene === 'empty' ? 8132 : 8131}${address}`)
      await page.waitForTimeout(350)
      if (how.click) {
        // On a phone, some buttons stand in the menu, and some nowhere.
        if (width === 390) await page.getByRole('button', { name: 'Menu' }).click()
        const button = page.getByRole('button', { name: how.click })
        if (await button.isVisible()) await button.click()
      }
      for (const key of how.keys ?? []) {
        await page.keyboard.press(key)
        await page.waitForTimeout(150)
      }
      if (how.type) {
        await page.keyboard.type(how.type)
        await page.waitForTimeout(300)
      }
      await page.waitForTimeout(150)
      await page.screenshot({ path: join(SHOTS, `${name}-${theme}-${width}.png`) })
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (overflow > 0) messages.push(`the page is ${overflow} px too wide`)
      if (withAxe) {
        // Axe is evaluated from outside of the page, so the policy stays as it is.
        const { default: axe } = await import('axe-core')
        await page.evaluate(axe.source)
        const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }))
        for (const found of result.violations) {
          for (const at of found.nodes.slice(0, 3)) messages.push(`axe ${found.id}: ${at.target.join(' ')} ${at.any[0]?.message ?? at.failureSummary}`)
        }
      }
      for (const message of messages) console.log(`${name} ${theme} ${width}: ${message}`)
      failures += messages.length
      await page.close()
    }
    await context.close()
  }
}
await browser.close()
full.server.closeAllConnections()
empty.server.closeAllConnections()
full.server.close()
empty.server.close()
console.log(failures === 0 ? 'no messages' : `${failures} messages`)
process.exitCode = failures === 0 ? 0 : 1
