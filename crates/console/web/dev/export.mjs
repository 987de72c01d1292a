/**
 * Opens a run that `piton session export RUN --html` wrote, from disk and without a network, in both themes, and fails on
 * any message, any request, or if nothing of the run is shown. `node dev/export.mjs FILE`
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'

const [file] = process.argv.slice(2)
if (!file) throw new Error('Name the file: node dev/export.mjs FILE')
const url = `file://${resolve(file)}`
const SHOTS = join(import.meta.dirname, 'shots')
mkdirSync(SHOTS, { recursive: true })
const TABS = ['prompt', 'outputs', 'attempts', 'why', 'wrote', 'context', 'events']

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const faults = []
for (const colorScheme of ['light', 'dark']) {
  for (const width of [1440, 390]) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    page.on('console', (message) => faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(String(error.stack)))
    page.on('request', (request) => {
      if (request.url() !== url && !request.url().startsWith('data:')) faults.push(`asked for ${request.url()}`)
    })
    await page.goto(url)
    await page.waitForSelector('button.row')
    const shoot = (name) => page.screenshot({ path: join(SHOTS, `exported-${name}-${colorScheme}-${width}.png`) })
    await shoot('run')
    if (width === 390) await page.locator('button.row').first().click()
    else for (let i = 0; i < 3; i++) await page.keyboard.press('k')
    for (const tab of TABS) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`, 'i') }).click()
      await page.waitForTimeout(50)
      if (await page.getByText('This is not part of the file').count()) faults.push(`${tab} is missing`)
    }
    await shoot('events')
    const left = page.getByRole('button', { name: 'What is left out' })
    if (await left.count()) {
      await left.click()
      await shoot('omissions')
    }
    await page.close()
  }
}
await browser.close()
console.log(faults.length === 0 ? 'no messages, no requests' : faults)
process.exitCode = faults.length === 0 ? 0 : 1
