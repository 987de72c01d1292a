/** Walks by keyboard alone: approve, refuse, fork, compare, review, edit, search, travel. Fails on any message. */
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'
import { id } from './fixtures.mjs'
import { start } from './server.mjs'

const dev = await start(8151)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
const page = await context.newPage()
const messages = []
page.on('console', (message) => { messages.push(message.text()); if (process.env.LOUD) console.log('!', message.text().slice(0, 90), message.location().url, message.location().lineNumber, message.location().columnNumber) })
page.on('pageerror', (error) => messages.push(String(error.stack)))
const at = 'http://127.0.0.1:8151'
const has = (text) => page.getByText(text).first().waitFor({ timeout: 8000 })
const press = async (...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.waitForTimeout(120)
  }
}
const done = (what) => console.log(`ok ${what}`)

await page.goto(`${at}/enter#one-time-key`)
await has('Waits for you')
assert.equal(await page.evaluate(() => location.href), `${at}/`)
assert.equal(await page.evaluate(() => localStorage.getItem('piton-console')), 'dev')
done('the key leaves the address, and the secret is kept')

await press('a')
await has('Approved: amber-otter')
await page.waitForFunction(() => document.querySelectorAll('.question').length === 1)
done('a question is approved with a')

await press('r')
await page.keyboard.type('Too many requests.')
dev.world.questions.length = 0
await press('Control+Enter')
await has('Somebody else has decided this already')
await has('Nothing waits for you.')
done('of two people one wins, and the other is told')

await press('g', 'r')
await page.waitForSelector('[data-run]')
await press('j', 'j', ' ')
await page.waitForSelector('[aria-label=Peek]')
await press('Escape', 'x', 'k', 'x')
await press('c')
await has('Outputs that differ')
await press('Escape')
done('two runs are marked and compared')

await page.goto(`${at}/runs/${id('sess', 1)}/${id('run', 1)}`)
await page.waitForSelector('button.row')
await press('k', 'k', 'd')
await page.waitForSelector('.graph')
await press('t', 'f')
await has('Paste to an agent')
await press('Escape', 'b')
await has('Line by line')
await press('Escape', '[', '[')
await has('You see this run as it was at')
await press('Escape')
await page.waitForFunction(() => !location.search.includes('at='))
done('graph, fork, blame and travel')

await page.getByRole('button', { name: 'Export' }).focus()
const saved = page.waitForEvent('download')
await press('ArrowDown', 'Enter')
assert.equal((await saved).suggestedFilename(), 'amber-otter.html')
done('a run is exported from its menu')

await page.goto(`${at}/runs/${id('sess', 1)}/${id('run', 1)}?node=${id('node', 1020)}`)
await has('Prefer this branch')
await press('p')
await has('The run is on this branch now')
await page.getByRole('button', { name: 'Prefer this branch' }).waitFor({ state: 'detached' })
done('a branch is preferred with p')

await page.getByRole('button', { name: /^Project/ }).focus()
await press('ArrowDown', 'ArrowDown', 'Enter')
await page.waitForFunction(() => new URLSearchParams(location.search).get('project') === '/home/mara/tools')
await press('g', 'w')
await page.waitForFunction(() => location.pathname === '/workflows' && location.search === '?project=%2Fhome%2Fmara%2Ftools')
const asked = page.waitForRequest((request) => request.url().includes('/api/v1/workspaces?project=%2Fhome%2Fmara%2Ftools'))
await press('g', 'f')
await asked
await page.getByRole('button', { name: /^Project/ }).focus()
await press('ArrowDown', 'Home', 'Enter')
await page.waitForFunction(() => location.pathname === '/files' && location.search === '')
done('a project is chosen, and the address and every request name it')

await press('Control+k')
await page.keyboard.type('settings')
await press('Enter')
await has('In force')
done('search leads to a page')

await page.goto(`${at}/files?overlay=/shop-changes`)
await has('Changed below')
await press('v', 'a')
await has('They are written to')
await press('Tab', 'Enter')
await has('Applied 1 change')
done('a file is reviewed and applied')

await page.goto(`${at}/workflows/team.release`)
await page.waitForSelector('.editor')
await has('1 problem')
await page.waitForFunction(() => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content'))
await page.evaluate(() => document.querySelector('.editor').shadowRoot.querySelector('.cm-content').focus())
await press('Control+a')
await page.keyboard.insertText('{ "id": "team.release", "steps": [] }')
await has('Loads')
await press('Control+s')
await has('Saved.')
done('a workflow is edited, checked and saved')

await page.goto(`${at}/`)
await has('Running')
await page.waitForFunction(() => document.querySelector('.dot.on'))
const before = dev.world.isEmpty
dev.world.isEmpty = true
dev.hint({ scope: 'run' })
await has('Nothing has run yet')
dev.world.isEmpty = before
done('a hint changes what is shown')

dev.server.closeAllConnections()
dev.server.close()
const lost = page.getByText('The console does not answer.')
await lost.first().waitFor({ timeout: 15_000 })
messages.splice(0, messages.length, ...messages.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY|409/.test(text)))
const again = await start(8151)
await lost.first().waitFor({ state: 'hidden', timeout: 30_000 })
done('a console that went away is said so, and comes back by itself')

messages.splice(0, messages.length, ...messages.filter((text) => !/ERR_CONNECTION_REFUSED|409/.test(text)))
console.log(messages.length === 0 ? 'no messages' : messages)
await browser.close()
again.server.closeAllConnections()
again.server.close()
process.exitCode = messages.length === 0 ? 0 : 1
