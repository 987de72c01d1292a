/**
 * Presses *Watch a demo run* on a console with an empty data directory, approves, watches it finish, and removes it.
 * Takes screenshots on the way, and fails on any message of the browser's console. `node dev/demo.mjs LINK OUT [--disk]`:
 * with `--disk`, files of the page come from `assets` and not from the program.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [link, out, ...flags] = process.argv.slice(2)
const assets = join(import.meta.dirname, '../../assets')
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
if (flags.includes('--disk')) {
  const kind = { js: 'text/javascript', css: 'text/css', woff2: 'font/woff2', svg: 'image/svg+xml' }
  await page.route(/\.(js|css|woff2|svg)$/, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    return route.fulfill({ body: readFileSync(join(assets, name)), contentType: kind[name.split('.').at(-1)] })
  })
}
const messages = []
page.on('console', (message) => messages.push(message.text()))
page.on('pageerror', (error) => messages.push(error.message))
page.on('response', (reply) => reply.status() >= 400 && messages.push(`${reply.status()} ${reply.url()}`))
const look = (name) => page.screenshot({ path: join(out, `demo-${name}.png`) })

await page.goto(link)
const button = page.getByRole('button', { name: 'Watch a demo run' })
await button.waitFor()
await look('1-empty')
await button.click()
await page.waitForURL(/\/runs\//)
await page.getByText('Blocked').first().waitFor()
await look('2-refused')
await page.waitForTimeout(4000)
await look('3-live')
const approve = page.getByRole('button', { name: /^Approve/ }).first()
await approve.waitFor({ timeout: 30_000 })
await look('4-waits')
await page.goto(new URL('/', link).href)
await approve.waitFor()
await look('5-overview')
await approve.click()
await page.goto(new URL('/runs', link).href)
await page.getByText('Complete').first().waitFor({ timeout: 20_000 })
await look('6-runs')
await page.locator('a[data-run]').first().click()
const remove = page.getByRole('button', { name: 'Remove the demo' })
await remove.waitFor()
await page.waitForTimeout(500)
await look('7-complete')
await page.goto(new URL('/backpacks', link).href)
await page.waitForTimeout(700)
await look('8-backpacks')
await page.goBack()
await remove.click()
await button.waitFor()
await look('9-removed')
await browser.close()
console.log(messages.length ? messages.join('\n') : 'no message')
process.exit(messages.length ? 1 : 0)
