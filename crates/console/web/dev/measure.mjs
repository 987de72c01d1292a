/** Measures the page against the goals of its design: sizes, first paint, a run of 10,000 steps, scrolling, heap. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { id } from './fixtures.mjs'
import { start } from './server.mjs'

const ASSETS = join(import.meta.dirname, '../../assets')
const packed = (...names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name)), { level: 9 }).length, 0)
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
const report = (what, goal, seen) => console.log(`${what.padEnd(44)} ${goal.padEnd(10)} ${seen}`)
const percentile = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const shown = (list) => `median ${percentile(list, 0.5).toFixed(0)} ms (${Math.min(...list).toFixed(0)}–${Math.max(...list).toFixed(0)})`

report('first page, JS and CSS gz', '60 kB', kB(packed('console.js', 'console.css')))
report('other pages, loaded later', '', kB(packed('pages.js')))
report('editor, loaded later', '130 kB', kB(packed('editor.js')))

const { server } = await start(8141)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'] })
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
await context.addInitScript(() => localStorage.setItem('piton-console', 'dev'))
const large = `http://127.0.0.1:8141/runs/${id('sess', 2)}/${id('run', 2)}`

async function times(path, ready, tries) {
  const paints = []
  const usable = []
  for (let i = 0; i < tries; i++) {
    const page = await context.newPage()
    await page.goto(path, { waitUntil: 'commit' })
    usable.push(await page.evaluate((selector) => new Promise((done) => {
      const look = () => (document.querySelector(selector) ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look))
      look()
    }), ready))
    paints.push(await page.evaluate(() => new Promise((done) => {
      const look = () => {
        const [paint] = performance.getEntriesByName('first-contentful-paint')
        if (paint) done(paint.startTime)
        else requestAnimationFrame(look)
      }
      look()
    })))
    await page.close()
  }
  return { paints, usable }
}

const overview = await times('http://127.0.0.1:8141/', '.question', 9)
report('first contentful paint', '150 ms', shown(overview.paints))
report('overview, usable', '', shown(overview.usable))
const runs = await times('http://127.0.0.1:8141/runs', '[data-run]', 7)
report('100,000 runs, first rows', '100 ms', shown(runs.usable))
const timeline = await times(large, 'button.row', 7)
report('run of 10,000 steps, usable', '400 ms', shown(timeline.usable))

async function scrolling(path, selector, horizontally) {
  const page = await context.newPage()
  await page.goto(path)
  await page.waitForSelector(selector)
  await page.waitForTimeout(500)
  const frames = await page.evaluate(([query, across]) => new Promise((done) => {
    const box = document.querySelector(query)
    const found = []
    let last = performance.now()
    let count = 0
    if (across) box.scrollLeft = 0
    else box.scrollTop = 0
    const step = (now) => {
      found.push(now - last)
      last = now
      if (across) box.scrollLeft += 120
      else box.scrollTop += 120
      if (++count < 240) requestAnimationFrame(step)
      else done(found.slice(5))
    }
    requestAnimationFrame(step)
  }), [selector, horizontally])
  const heap = await page.evaluate(() => {
    globalThis.gc?.()
    return performance.memory.usedJSHeapSize
  })
  await page.close()
  return { frames, heap }
}
const rows = await scrolling(large, '[aria-label=Timeline]', false)
report('  scrolling the timeline, frame p95', '20 ms', `${percentile(rows.frames, 0.95).toFixed(1)} ms`)
const graph = await scrolling(`${large}?view=graph`, '.graph', true)
report('  scrolling the graph, frame p95', '20 ms', `${percentile(graph.frames, 0.95).toFixed(1)} ms`)
report('heap, such a page', '40 MB', `${(Math.max(rows.heap, graph.heap) / 1e6).toFixed(1)} MB`)
const jump = await context.newPage()
await jump.goto('http://127.0.0.1:8141/runs')
await jump.waitForSelector('[data-run]')
const jumped = await jump.evaluate(() => new Promise((done) => {
  const box = document.querySelector('[aria-label=Runs]')
  const before = performance.now()
  box.scrollTop = 1_800_000
  const look = () => ([...document.querySelectorAll('[data-run]')].length > 20 && box.scrollTop > 1_700_000 ? done(performance.now() - before) : requestAnimationFrame(look))
  requestAnimationFrame(() => requestAnimationFrame(look))
}))
report('100,000 runs, jump', '50 ms', `${jumped.toFixed(0)} ms`)
await browser.close()
server.closeAllConnections()
server.close()
