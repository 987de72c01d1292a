/** Every page with its views and dialogs, by the names of its screenshots. */
import type { Page } from '@playwright/test'
import { nodeOf } from './piton'
import { at, press } from './test'
import type { World } from './world'

export interface View {
  name: string
  address: (world: World) => string
  /** What is there once the page shows what it is for. */
  shows: string | RegExp
  /** What a person does first. */
  act?: (page: Page) => Promise<void>
}

const run = (query = '') => (world: World) => at(world.main, query)
// A link to a step opens that step, on a phone too.
const tab = (name: string) => (world: World) => at(world.main, `?tab=${name}&node=${nodeOf(world.main)}`)

export const VIEWS: View[] = [
  { name: 'overview', address: () => '/', shows: 'May this fix go into the project?' },
  { name: 'runs', address: () => '/runs', shows: 'Release 2.4.0' },
  {
    name: 'runs-query',
    address: () => '/runs?q=status:in_progress%20colour:red',
    shows: 'The query cannot be read',
  },
  { name: 'run', address: run(), shows: 'gateway at 11 s' },
  { name: 'run-prompt', address: tab('prompt'), shows: 'Put the fix before a person' },
  { name: 'run-outputs', address: tab('outputs'), shows: 'notes' },
  { name: 'run-attempts', address: tab('attempts'), shows: 'needs a person' },
  { name: 'run-why', address: tab('why'), shows: /gap/i },
  {
    name: 'run-wrote',
    address: tab('wrote'),
    shows: '/scratch/docs/charges.md',
    act: (page) => page.getByRole('button', { name: /Write the fix/ }).first().click(),
  },
  { name: 'run-context', address: tab('context'), shows: 'SHOP-318' },
  { name: 'run-events', address: tab('events'), shows: 'node_created' },
  { name: 'run-graph', address: run('?view=graph'), shows: 'gateway at 11 s' },
  {
    name: 'run-past',
    address: run(),
    shows: 'You see this run as it was at',
    act: async (page) => {
      await page.getByText('gateway at 11 s').waitFor({ timeout: 15_000 })
      await press(page, '[', '[', '[')
    },
  },
  {
    name: 'run-fork',
    address: run(),
    shows: 'Paste to an agent',
    act: async (page) => {
      await page.getByText('gateway at 11 s').waitFor({ timeout: 15_000 })
      await press(page, 'f')
    },
  },
  {
    name: 'run-blame',
    address: run(),
    shows: 'line by line',
    act: async (page) => {
      await page.getByText('gateway at 11 s').waitFor({ timeout: 15_000 })
      await press(page, 'b')
    },
  },
  { name: 'run-compare', address: (world) => at(world.main, `?compare=${world.main.run.sessionId}/${world.main.run.runId}&left=${world.left}`), shows: 'Outputs that differ' },
  {
    name: 'search',
    address: () => '/',
    shows: 'Some customers are charged',
    act: async (page) => {
      await page.getByText('May this fix go').waitFor({ timeout: 15_000 })
      await press(page, 'Control+k')
      await page.keyboard.type('charged')
    },
  },
  {
    name: 'keys',
    address: run(),
    shows: 'Everywhere',
    act: async (page) => {
      await page.getByText('gateway at 11 s').waitFor({ timeout: 15_000 })
      await press(page, '?')
    },
  },
  { name: 'workflows', address: () => '/workflows', shows: 'Does not load' },
  { name: 'workflow-source', address: () => '/workflows/project.investigate', shows: '"project.investigate"' },
  { name: 'workflow-built-in', address: () => '/workflows/wr.tour', shows: 'Copy to edit' },
  { name: 'workflow-compiled', address: () => '/workflows/project.investigate?view=compiled', shows: 'Test one suspect' },
  { name: 'workflow-pinned', address: (world) => `/workflows/project.investigate?view=pinned&run=${world.main.run.runId}`, shows: /differs?\b/ },
  { name: 'workflow-costs', address: () => '/workflows/project.investigate?view=costs', shows: 'Reproduce it' },
  { name: 'backpacks', address: () => '/backpacks', shows: 'support' },
  { name: 'backpack', address: (world) => `/backpacks/${world.backpack}?key=cause`, shows: 'a timeout does not say' },
  { name: 'backpack-log', address: (world) => `/backpacks/${world.backpack}?tab=log`, shows: 'suspect' },
  { name: 'backpack-difference', address: () => '/backpacks/support?tab=diff', shows: 'reply' },
  { name: 'backpack-blame', address: (world) => `/backpacks/${world.backpack}?tab=blame`, shows: 'suspect' },
  { name: 'backpack-quarantine', address: (world) => `/backpacks/${world.backpack}?tab=quarantine`, shows: 'Nothing was taken out of use' },
  { name: 'backpack-flow', address: () => '/backpacks/support?tab=flow', shows: 'triage' },
  { name: 'files', address: () => '/files', shows: 'the code of the shop' },
  { name: 'files-try', address: () => '/files?tab=try&path=/project/src/pay.rs', shows: 'read-only' },
  { name: 'files-log', address: () => '/files?tab=log', shows: '/scratch/docs/charges.md' },
  { name: 'files-review', address: () => '/files?overlay=/scratch&file=src/pay.rs', shows: 'charge_once' },
  { name: 'context', address: () => '/context?path=src/pay.rs&dir=src', shows: 'without' },
  { name: 'context-compose', address: () => '/context?path=src/pay.rs&dir=src&tab=compose', shows: 'tokens' },
  { name: 'settings', address: () => '/settings', shows: 'retention.days' },
]

/** Goes to a view, and waits until it shows what it is for. */
export async function show(page: Page, view: View, world: World): Promise<void> {
  await page.goto(view.address(world))
  await view.act?.(page)
  await page.getByText(view.shows).filter({ visible: true }).first().waitFor({ timeout: 15_000 })
  // What a page asks for after its first reply is there as well, and nothing blinks.
  await page.waitForLoadState('load')
  await page.evaluate(() => document.fonts.ready)
}
