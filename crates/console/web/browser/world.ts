/**
 * What a scripted agent leaves behind in a project: runs in every state, a backpack, a flow, an overlay with changes, and
 * context of which some went stale. Everything is made by the program itself, as agents and people make it.
 */
import { nodeOf, tokenOf, type Agent, type Piton, type StepReply } from './piton'
import { BROKEN, INVESTIGATE, RELEASE } from './workflows'

export interface World {
  /** Waits for approval; two branches, a refused attempt, and keys, files and frames that it wrote. */
  main: StepReply
  /** The id of the last node of its left branch. */
  left: string
  /** The id of the backpack that its agent packed into. */
  backpack: string
  /** Waits for an answer. */
  choice: StepReply
  /** Is being worked at. */
  running: StepReply
}

const CONFIGURATION = `# What agents get in this project.
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "."
purpose = "the code of the shop"
deny = [".env", "piton.toml"]

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"
purpose = "change what you like: it is copy-on-write over /project"

[[workspaces]]
prefix = "/outbox"
scope = "write-only"
virtual = ["outbox"]
purpose = "finished reports"

[state]
backpack = "checkout"
agent = "scout"

[context]
agent = "scribe"

[[context.agents]]
name = "scribe"
role = "writer"
`

const PAY = `use crate::gateway::Gateway;

/// Charges the card for an order.
pub fn pay(gateway: &Gateway, order: &Order) -> Result<Receipt, PayError> {
    for _ in 0..3 {
        match gateway.charge(order.card(), order.total()) {
            Ok(receipt) => return Ok(receipt),
            Err(PayError::Timeout) => continue,
            Err(error) => return Err(error),
        }
    }
    Err(PayError::Timeout)
}
`
const CHARGE = 'gateway.charge(order.card(), order.total())'
const CHARGE_ONCE = 'gateway.charge_once(order.key(), order.card(), order.total())'
const FILES: Record<string, string> = {
  'README.md': '# Shop\n\nSells tea. Orders are paid by card.\n',
  'src/main.rs': 'mod cart;\nmod gateway;\nmod pay;\n\nfn main() {\n    serve();\n}\n',
  'src/pay.rs': PAY,
  'src/cart.rs': 'pub fn total(items: &[Item]) -> Cents {\n    items.iter().map(Item::price).sum()\n}\n',
  'src/gateway/mod.rs': 'pub struct Gateway {\n    address: Url,\n}\n\nimpl Gateway {\n    pub fn charge(&self, card: &Card, total: Cents) -> Result<Receipt, PayError> {\n        self.post("/charges", card, total)\n    }\n}\n',
  'docs/refunds.md': '# Refunds\n\nMoney goes back to the card it came from.\n',
}
const FRAMES: [path: string, text: string][] = [
  ['README.md', 'What the shop sells, and how people pay.'],
  ['src/main.rs', 'Starts the server; nothing is decided here.'],
  ['src/pay.rs', 'Charges the card of an order. It tries three times when the gateway does not answer in time, **without** a key that would make a repetition harmless.'],
  ['src/cart.rs', 'Adds up what lies in the cart, in cents.'],
  ['src/gateway/mod.rs', 'The client of the card gateway. `charge` is not idempotent; `charge_once` would be.'],
]

/** Lays out the project, with its workflows. */
export function makeProject(piton: Piton): void {
  piton.write('piton.toml', CONFIGURATION)
  for (const [path, text] of Object.entries(FILES)) piton.write(path, text)
  piton.write('.piton/workflows/investigate.json', INVESTIGATE)
  piton.write('.piton/workflows/release.json', RELEASE)
  const git = (...words: string[]) => piton.other('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words])
  git('init', '--quiet', '--initial-branch', 'fix/charged-twice')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin the shop')
}

const again = (decision: 'continue' | 'stop') => [{ kind: 'wr.loop_control', loopId: 'hypotheses', decision }]

/** Investigates up to the step at which a person must approve, and submits there too. */
export async function askForApproval(agent: Agent, goal: string): Promise<StepReply> {
  let at = await agent.start('project.investigate', goal)
  at = await agent.submit(at, 'Seen: two charges for one order, in 3 of 40 attempts')
  at = await agent.submit(at, 'Suspects: pay.rs tries again')
  at = await agent.submit(at, 'Verdict: it charges once more after each timeout')
  at = await agent.submit(at, '', again('stop'))
  at = await agent.submit(at, 'Changed: src/pay.rs')
  return agent.submit(at, `${goal}: each order has a key now, and a second charge with it does nothing.`)
}

/** The run that most pages show. */
async function investigate(agent: Agent): Promise<Pick<World, 'main' | 'left'>> {
  let at = await agent.start('project.investigate', 'Some customers are charged twice for one order', { ticket: 'SHOP-318', reported: 3 })
  at = await agent.submit(at, 'It happens sometimes.')
  at = await agent.submit(at, 'Seen: two charges for one order, in 3 of 40 attempts, always after a timeout\n\n- order `A-1041`, 12 s after the first\n- order `A-1077`, 11 s after the first\n- order `A-1102`, 12 s after the first')
  const suspects = at
  at = await agent.submit(at, 'Suspects: the button is pressed twice, the cart is sent twice')
  at = await agent.submit(at, 'Verdict: the button is disabled after the first press')
  const left = nodeOf(at)
  // Another look at the list of suspects: the first branch stays.
  at = await agent.submit(await agent.comeBack(suspects), 'Suspects: `pay.rs` tries again after a timeout, the gateway repeats, the cart is sent twice')
  at = await agent.submit(at, 'Verdict: the cart is sent once in every log, so it is innocent')
  at = await agent.submit(at, '', again('continue'))
  at = await agent.submit(at, 'Verdict: with the gateway slowed to 11 s, `pay.rs` charged **twice** in 20 of 20 attempts')
  at = await agent.submit(at, '', again('stop'))
  const run = tokenOf(at)
  await agent.call('pack', { key: 'suspect', value: 'src/pay.rs', run })
  await agent.call('pack', { key: 'cause', value: { file: 'src/pay.rs', line: 6, because: 'a timeout does not say whether the card was charged' }, run })
  await agent.call('pack', { key: 'customers', value: ['ada@example.org', 'kurt@example.org'], tags: ['pii'], run })
  await agent.call('edit', { path: '/scratch/src/pay.rs', old_string: CHARGE, new_string: CHARGE_ONCE, run })
  await agent.call('write', { path: '/scratch/docs/charges.md', content: '# Charges\n\nAn order has a key. The gateway charges once for each key.\n', run })
  await agent.call('delete', { path: '/scratch/docs/refunds.md', run })
  await agent.call('put_frame', { node: 'src/pay.rs', frameType: 'finding', content: 'A timeout is tried again without a key, so a slow gateway charges twice.', run })
  at = await agent.submit(at, 'Changed: src/pay.rs, docs/charges.md\n\nEvery order has a key, and the gateway charges once for each key.')
  const main = await agent.submit(at, 'The fix charges with `charge_once` and the key of the order.\n\n| what | before | after |\n|---|---|---|\n| gateway at 11 s | 2 charges | 1 charge |\n| gateway at 1 s | 1 charge | 1 charge |\n\nWhat could go wrong: orders from before the change have no key; they are charged as before.')
  return { main, left }
}

/** Makes everything. `day` is called before each part, so that a clock can be moved. */
export async function makeWorld(piton: Piton, day: (what: keyof typeof PARTS) => void = () => undefined): Promise<World> {
  makeProject(piton)
  const found: Partial<World> = {}
  for (const [what, make] of Object.entries(PARTS)) {
    day(what as keyof typeof PARTS)
    await make(piton, found)
  }
  return found as World
}

export const PARTS = {
  context(piton: Piton) {
    piton.run('context', 'scan')
    for (const [path, text] of FRAMES) piton.run('context', 'put-frame', path, '--type', 'summary', '--text', text)
    piton.run('context', 'synthesize', '.', '--type', 'summary', '--recursive')
    piton.write('src/cart.rs', `${FILES['src/cart.rs']}\npub fn is_empty(items: &[Item]) -> bool {\n    items.is_empty()\n}\n`)
  },
  async tour(piton: Piton) {
    const agent = await piton.agent()
    let at = await agent.start('wr.tour', 'See what this project is')
    at = await agent.submit(at, 'Done.')
    at = await agent.submit(at, 'Project: a shop that sells tea\nSeen: 4 files and directories')
    at = await agent.submit(at, 'Refused: it asked for two lines\nFixed: I wrote them')
    const guesses = ['pay.rs charges a card', 'cart.rs adds prices up']
    for (const [i, guess] of guesses.entries()) {
      at = await agent.submit(at, `Guess: ${guess}\nFound: it does`)
      at = await agent.submit(at, '', [{ kind: 'wr.loop_control', loopId: 'rounds', decision: i === 0 ? 'continue' : 'stop' }])
    }
    await agent.submit(at, 'Checkpoint: before a fix\nGoing back: the later steps stay, on another branch\nNext: wr.bug_investigation')
    agent.leave()
  },
  flow(piton: Piton) {
    const flows = new URL('../../../../examples/flows/', import.meta.url).pathname
    const at = (file: string) => `${flows}${file}`
    piton.run('flow', 'run', at('support/flow.json'), '--models', at('support/models.json'), '--set', 'message=I want my money back', '--set', 'customer=Ada', '--backpack', 'support')
    piton.run('flow', 'run', at('prices/flow.json'), '--models', at('prices/models.json'), '--set', 'query=prices', '--backpack', 'prices')
  },
  async gaps(piton: Piton) {
    // Nobody is there to be asked, so what is missing is recorded and the run goes on.
    const agent = await piton.agent({ PITON_AUTONOMY: 'full_auto_never_stop' })
    let at = await agent.start('project.release', 'Release 2.3.1 over night')
    for (const notes of ['Nothing but fixes.', 'Published to everybody.', 'Announced.']) at = await agent.submit(at, notes)
    agent.leave()
  },
  async main(piton: Piton, world: Partial<World>) {
    const agent = await piton.agent()
    Object.assign(world, await investigate(agent))
    const { backpacks } = JSON.parse(piton.run('backpack', 'list', '--json')) as { backpacks: { id: string }[] }
    world.backpack = backpacks[0]?.id ?? ''
    agent.leave()
  },
  async choice(piton: Piton, world: Partial<World>) {
    const agent = await piton.agent()
    const at = await agent.start('project.release', 'Release 2.4.0')
    const collected = await agent.submit(at, 'Version: 2.4.0\n\n- orders have keys\n- the cart says when it is empty')
    world.choice = await agent.submit(collected, 'Ready. 412 customers had the last release within an hour.')
    agent.leave()
  },
  async blocked(piton: Piton) {
    const agent = await piton.agent()
    const at = await agent.start('project.investigate', 'The cart forgets its last item')
    await agent.submit(at, 'I could not see it happen.')
    agent.leave()
  },
  async running(piton: Piton, world: Partial<World>) {
    const agent = await piton.agent()
    const at = await agent.start('project.investigate', 'Search finds nothing for words with an umlaut')
    const seen = await agent.submit(at, 'Seen: `grüner Tee` finds nothing, `gruener Tee` finds 12, every time')
    world.running = await agent.submit(seen, 'Suspects: the index folds letters, the query does not')
    agent.leave()
  },
  broken(piton: Piton) {
    piton.write('.piton/workflows/refunds.json', BROKEN)
    // Runs that began keep to what they were pinned to; the console says that the file differs now.
    const steps = INVESTIGATE.steps.map((step) =>
      step.id === 'fix' ? { ...step, title: 'Write the fix and a test' } : step,
    )
    piton.write('.piton/workflows/investigate.json', { ...INVESTIGATE, steps })
    // What lies below the overlay changed since the agent changed it there.
    piton.write('src/pay.rs', PAY.replace('0..3', '0..2'))
  },
}
