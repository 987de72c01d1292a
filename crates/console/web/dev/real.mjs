/**
 * Opens every page of a console that runs, takes screenshots, and says what the browser's console and failed requests
 * say. `node dev/real.mjs LINK OUT [--disk]`: with `--disk`, files of the page come from `assets` and not from the
 * program.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [link, out, ...flags] = process.argv.slice(2)
const assets = join(import.meta.dirname, '../../assets')
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
const origin = new URL(link).origin
if (flags.includes('--disk')) {
  const kind = { js: 'text/javascript', css: 'text/css', woff2: 'font/woff2', svg: 'image/svg+xml' }
  await page.route(/\.(js|css|woff2|svg)$/, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    return route.fulfill({ body: readFileSync(join(assets, name)), contentType: kind[name.split('.').at(-1)] })
  })
}
let at = 'enter'
page.on('console', (message) => console.log(`${at}: console: ${message.text()}`))
page.on('pageerror', (error) => console.log(`${at}: error: ${error.message}`))
page.on('response', async (reply) => {
  if (reply.status() < 400) return
  const body = await reply.text().catch(() => '')
  console.log(`${at}: ${reply.status()} ${reply.url().replace(origin, '')} ${body.slice(0, 300)}`)
})

async function look(name, path, act) {
  at = name
  if (path) await page.goto(origin + path)
  await page.waitForTimeout(700)
  if (act) {
    await act()
    await page.waitForTimeout(500)
  }
  await page.screenshot({ path: join(out, `${name}.png`) })
}
await page.goto(link)
await page.waitForTimeout(1500)
await look('overview', '/')
await look('runs', '/runs')
await look('runs-query', '/runs?q=status:complete%20colour:red')
await look('runs-complete', '/runs', async () => { await page.focus('input[role=combobox]'); await page.keyboard.type('st') })
await page.goto(`${origin}/runs`)
await page.waitForTimeout(700)
const run = await page.getAttribute('a[data-run]', 'href')
console.log('run', run)
await look('run', run)
for (const tab of ['prompt', 'outputs', 'attempts', 'why', 'wrote', 'context', 'events']) {
  await look(`run-${tab}`, null, async () => {
    const found = page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i') })
    if (await found.count()) await found.first().click()
    else console.log(`${tab}: no such tab`)
  })
}
await look('run-graph', `${run}?view=graph`)
await look('run-fork', run, () => page.keyboard.press('f'))
await look('run-blame', run, () => page.keyboard.press('b'))
await look('run-compare', run, async () => {
  for (const key of ['x', 'k', 'k', 'x', 'c']) await page.keyboard.press(key)
})
await look('search', '/', async () => { await page.keyboard.press('Control+k'); await page.keyboard.type('login') })
await look('workflows', '/workflows')
for (const view of ['source', 'compiled', 'pinned', 'costs']) await look(`workflow-${view}`, `/workflows/wr.tour?view=${view}`)
await look('backpacks', '/backpacks')
const backpack = await page.locator('a[href^="/backpacks/"]').first().getAttribute('href').catch(() => null)
console.log('backpack', backpack)
if (backpack) for (const tab of ['keys', 'log', 'diff', 'blame', 'quarantine', 'flow']) await look(`backpack-${tab}`, `${backpack}?tab=${tab}`)
await look('files', '/files')
await look('files-try', '/files?tab=try&path=/scratch/x')
await look('files-log', '/files?tab=log')
await look('files-review', '/files?overlay=/scratch')
await look('context', '/context')
await look('context-compose', '/context?tab=compose')
await look('settings', '/settings')
await browser.close()
