/** Puts a run into one HTML file, as the exporter does, opens it from disk, and fails on any message. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import * as fixtures from './fixtures.mjs'
import { reply, world } from './replies.mjs'

const ASSETS = join(import.meta.dirname, '../../assets')
const found = world('full')
const { sessionId, runId } = found.small.run.summary
const data = { ids: [sessionId, runId] }
const base = `/sessions/${sessionId}/runs/${runId}`
const { run: _, ...shaped } = found.small
data[`${base}/shape`] = shaped
for (const node of found.small.shape.nodes.id) {
  data[`${base}/steps/${node}`] = fixtures.stepDetail(found.small, node)
  data[`${base}/steps/${node}/writes`] = fixtures.stepWrites(node)
  data[`${base}/recap?node=${node}`] = reply(found, 'GET', `${base}/recap`, { node })
}
data[`${base}/events`] = reply(found, 'GET', `${base}/events`, {})
const script = readFileSync(join(ASSETS, 'export.js'), 'utf8')
const style = readFileSync(join(ASSETS, 'export.css'), 'utf8')
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html`
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error('the script would end early')
const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>amber-otter</title><style>${style}</style></head><body><script type="application/json" id="piton-run">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script><script>${script}</script></body></html>`
const file = join(import.meta.dirname, 'shots/exported.html')
writeFileSync(file, html)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
const messages = []
page.on('console', (message) => messages.push(message.text()))
page.on('pageerror', (error) => messages.push(String(error.stack)))
await page.goto(`file://${file}`)
await page.waitForSelector('button.row')
await page.keyboard.press('k')
await page.waitForTimeout(500)
await page.screenshot({ path: join(import.meta.dirname, 'shots/exported.png') })
console.log(page.url().slice(-90), messages.length === 0 ? 'no messages' : messages, `${(html.length / 1000).toFixed(0)} kB`)
await browser.close()
process.exitCode = messages.length === 0 ? 0 : 1
