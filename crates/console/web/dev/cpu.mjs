/** CPU time of the page's main thread, which a busy machine does not stretch as it does the clock. */
import { chromium } from 'playwright-core'
import { id } from './fixtures.mjs'
import { start } from './server.mjs'

const { server } = await start(8142)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
await context.addInitScript(() => localStorage.setItem('piton-console', 'dev'))
const large = `/runs/${id('sess', 2)}/${id('run', 2)}`

async function measure(name, path, selector, scroll) {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((it) => [it.name, it.value]))
  await page.goto(`http://127.0.0.1:8142${path}`)
  await page.waitForSelector(selector)
  await page.waitForTimeout(600)
  const loaded = await read()
  const line = (what, after, before = {}, frames = 1) => {
    const ms = (key) => (((after[key] ?? 0) - (before[key] ?? 0)) * 1000) / frames
    console.log(`${what.padEnd(36)} task ${ms('TaskDuration').toFixed(1)} script ${ms('ScriptDuration').toFixed(1)} style ${ms('RecalcStyleDuration').toFixed(1)} layout ${ms('LayoutDuration').toFixed(1)} ms`)
  }
  line(name, loaded)
  if (scroll) {
    const before = await read()
    await page.evaluate(([query, across]) => new Promise((done) => {
      const box = document.querySelector(query)
      let count = 0
      const step = () => {
        box.scrollBy(across ? 120 : 0, across ? 0 : 120)
        if (++count < 120) requestAnimationFrame(step)
        else done()
      }
      if (across) box.scrollLeft = 0
      else box.scrollTop = 0
      requestAnimationFrame(step)
    }), scroll)
    line(`  scroll, each frame`, await read(), before, 120)
  }
  await page.close()
}
await measure('overview', '/', '.question')
await measure('runs', '/runs', '[data-run]', ['[aria-label=Runs]', false])
await measure('run of 10,000, timeline', large, 'button.row', ['[aria-label=Timeline]', false])
await measure('run of 10,000, graph', `${large}?view=graph`, '.graph', ['.graph', true])
await browser.close()
server.closeAllConnections()
server.close()
