/**
 * What is larger than a screen, and what is damaged: nothing freezes, what is left out is counted, and what is left is
 * shown. With `PITON_LONG` the run has 10,000 nodes and 200 branches.
 */
import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { at, expect, test as base } from './test'
import { Piton, nodeOf, type Agent, type StepReply } from './piton'

const IS_LONG = Boolean(process.env['PITON_LONG'])
const TURNS = 90
const LOOPS = IS_LONG ? 60 : 2
const BRANCHES = IS_LONG ? 200 : 25
/** Artifacts of one step, beside the decision of its loop. */
const ARTIFACTS = 63
const STEPS_WITH_ARTIFACTS = IS_LONG ? 80 : 4
const LINES = 1_000_000

const name = (loop: number) => String.fromCharCode(97 + Math.floor(loop / 26), 97 + (loop % 26))

const LONG = {
  id: 'project.long',
  name: 'Many turns',
  description: 'Loops, one after the other.',
  conditions: Array.from({ length: LOOPS }, (_, i) => ({ conditionId: `more-${name(i)}`, kind: 'loop_control', loopId: `rounds-${name(i)}` })),
  steps: Array.from({ length: LOOPS }, (_, i) => ({
    type: 'loop',
    loopId: `rounds-${name(i)}`,
    title: `Rounds ${name(i)}`,
    maxIterations: TURNS,
    while: { kind: 'condition_ref', conditionId: `more-${name(i)}` },
    body: [{ id: `do-${name(i)}`, title: `Do ${name(i)}`, prompt: 'Do it.' }, { id: `work-${name(i)}`, title: `Work ${name(i)}`, prompt: 'Do it.', outputContract: { contractRef: 'wr.contracts.loop_control' } }],
  })),
}

const decide = (loop: number, decision: 'continue' | 'stop') => ({ kind: 'wr.loop_control', loopId: `rounds-${name(loop)}`, decision })

/** Leads an agent through all loops but the last turn. Before its last step, branches begin from an early one. */
async function work(agent: Agent): Promise<{ run: StepReply; artifacts: StepReply; nodes: number }> {
  let run = await agent.start('project.long', 'Grow')
  let nodes = 1
  let artifacts = run
  let early: StepReply | undefined
  for (let loop = 0; loop < LOOPS; loop++) {
    for (let turn = 1; turn <= TURNS; turn++) {
      if (loop === LOOPS - 1 && turn === TURNS - 1) {
        for (let branch = 0; branch < BRANCHES; branch++) {
          await agent.submit(await agent.comeBack(early!), `Branch ${branch}.`)
          nodes++
        }
      }
      if (loop === LOOPS - 1 && turn === TURNS) break
      const rows = nodes <= 2 * STEPS_WITH_ARTIFACTS ? Array.from({ length: ARTIFACTS }, (_, n) => ({ kind: 'row', nodes, n, text: 'x'.repeat(200) })) : []
      run = await agent.submit(run, `Work ${nodes}.`)
      if (nodes === 1) artifacts = run
      run = await agent.submit(run, `Did ${nodes}.`, [decide(loop, turn === TURNS ? 'stop' : 'continue'), ...rows])
      nodes += 2
      if (nodes === 5) early = run
    }
  }
  return { run, artifacts, nodes }
}

const test = base.extend<object, { large: { piton: Piton; run: StepReply; artifacts: StepReply; nodes: number; damaged: StepReply } }>({
  shop: [
    async ({ browser, large: { piton } }, use) => {
      const console = await piton.console()
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(piton.link())
      await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
      const entered = await context.storageState()
      await context.close()
      // The world of the other tests is not made: these look at their own.
      await use({ piton, console, entered } as never)
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  large: [
    async ({}, use) => {
      const piton = new Piton('large')
      try {
        piton.write('piton.toml', '[[workspaces]]\nprefix = "/project"\nscope = "read-only"\ndirectory = "."\n\n[[workspaces]]\nprefix = "/scratch"\nscope = "read-write"\nvirtual = ["scratch"]\nover = "/project"\n')
        piton.write('.piton/workflows/long.json', LONG)
        piton.write('lines.txt', 'a\n'.repeat(LINES))
        const agent = await piton.agent()
        const worked = await work(agent)
        let damaged = await agent.start('project.long', 'Be damaged')
        for (let turn = 0; turn < 3; turn++) {
          damaged = await agent.submit(await agent.submit(damaged, `Work ${turn}.`), `Did ${turn}.`, [decide(0, 'continue')])
        }
        await agent.call('write', { path: '/scratch/lines.txt', content: 'b\n'.repeat(LINES) })
        agent.leave()
        const events = join(piton.home, '.local/share/piton/sessions', damaged.run.sessionId, 'events')
        const last = readdirSync(events).sort().at(-1)!
        truncateSync(join(events, last), 10)
        await use({ piton, ...worked, damaged })
      } finally {
        piton.end()
      }
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

test.describe.configure({ timeout: 300_000 })

test('a long run with many branches is drawn as far as it is seen', async ({ page, large: { run, nodes } }) => {
  await page.goto(at(run))
  await expect(page.locator('main header.head')).toContainText(`${nodes.toLocaleString('en')} nodes`)
  const timeline = page.getByLabel('Timeline')
  await expect(timeline.locator('button.row').first()).toBeVisible()
  expect(await page.locator('button.row').count()).toBeLessThan(150)
  await timeline.evaluate((box) => (box.scrollTop = box.scrollHeight))
  await expect(timeline.locator('button.row').last()).toBeInViewport()
  expect(await page.locator('button.row').count()).toBeLessThan(150)
  await page.keyboard.press('d')
  await expect(page.getByLabel(/^Graph of the run/)).toBeVisible()
  await page.keyboard.press('t')
  await expect(timeline).toBeVisible()
})

test('many artifacts of a step are shown or counted', async ({ page, large: { artifacts } }) => {
  await page.goto(at(artifacts, `?tab=outputs&node=${nodeOf(artifacts)}`))
  const panel = page.getByRole('tabpanel')
  await expect(panel.locator('article').first()).toBeVisible()
  const shown = await panel.locator('article').count()
  const rest = /([\d,]+) more outputs left out/.exec((await panel.textContent()) ?? '')
  expect(shown + Number(rest?.[1] ?? 0)).toBe(ARTIFACTS + 2)
})

test('of a difference of a million lines the beginning is shown, and the rest is counted', async ({ page }) => {
  await page.goto('/files?overlay=%2Fscratch')
  await expect(page.getByLabel('Changed files')).toContainText('+1,000,000')
  await expect(page.getByRole('region', { name: 'lines.txt' })).toContainText(/[\d,]+ more lines left out/)
  expect(await page.locator('.diff .row').count()).toBeLessThan(6_000)
})

test('a damaged session shows its valid beginning under a banner', async ({ page, large: { damaged } }) => {
  await page.goto(at(damaged))
  await expect(page.getByRole('status').filter({ hasText: 'Damaged' })).toContainText('valid beginning')
  await expect(page.locator('button.row').first()).toBeVisible()
  await page.goto('/')
  await expect(page.getByText('Damaged session').first()).toBeVisible()
})
