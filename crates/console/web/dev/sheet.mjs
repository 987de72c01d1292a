/** Puts screenshots side by side: `node dev/sheet.mjs OUT WIDTH NAME…`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const [out, width, ...names] = process.argv.slice(2)
const images = names.map((name) => {
  const bytes = readFileSync(join(import.meta.dirname, 'shots', `${name}.png`)).toString('base64')
  return `<img width=${width} src="data:image/png;base64,${bytes}">`
})
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1960, height: 400 } })
await page.setContent(`<body style="margin:0;background:#888;display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start">${images.join('')}`)
await page.screenshot({ path: out, fullPage: true })
await browser.close()
