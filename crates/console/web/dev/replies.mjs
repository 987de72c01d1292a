/** The replies of the development server, by path. */
import * as fixtures from './fixtures.mjs'
import * as parts from './part-replies.mjs'

const { NOW, MINUTE, entry, id, digest, label } = fixtures
const TOTAL = 100_000

/** Creates the state that acts change. */
export function world(scene) {
  const small = fixtures.shape('small')
  const large = fixtures.shape('large')
  const damaged = fixtures.damagedShape()
  const isEmpty = scene === 'empty'
  const waiting = entry(4, { status: 'blocked', step: { stepId: 'design', title: 'Approve the design', number: 4, of: 8 }, goal: fixtures.GOALS[2], title: fixtures.GOALS[2], label: 'golden-lynx', workflow: { id: 'wr.feature_implementation', hash: digest(1), name: 'Implement a feature' } })
  const questions = isEmpty
    ? []
    : [
        fixtures.question(small.run),
        { ...fixtures.question(waiting), reason: 'needs_user_choice', words: 'Which limit should an anonymous caller get: 10 or 60 requests a minute? Both fit the design.', excerpt: 'Write down what the design leaves open, with the cost of each way. Ask where the answer is a matter of taste or money.', askedAt: NOW - 47 * MINUTE },
      ]
  return { isEmpty, small, large, damaged, questions, parts: parts.world() }
}

function runOf(world, session) {
  return [world.small, world.large, world.damaged].find((it) => it.run.summary.sessionId === session)
}

function fail(status, code, message, suggestion) {
  throw Object.assign(new Error(message), { status, envelope: { code, message, suggestion } })
}

export function reply(world, method, path, query, body, hint) {
  const found = path.split('/').filter(Boolean).map(decodeURIComponent)
  if (method === 'POST') return act(world, found, body, hint)
  const [first, second, third, fourth, fifth, sixth] = found
  if (first === 'status') return { person: 'mara', projects: [{ path: '/home/mara/shop', name: 'shop' }, { path: '/home/mara/tools', name: 'tools' }], version: '0.1.0', canDemo: true }
  if (first === 'inbox') return inbox(world)
  if (first === 'demo') return { workflowId: 'demo.login_fix' }
  if (first === 'search') return search(query)
  if (first === 'runs' && second === 'fields') return { fields: FIELDS }
  if (first === 'runs') return runPage(world, query)
  if (first === 'compare') return comparison(world)
  if (first === 'artifacts') return { bytes: Buffer.from('{"kind":"wr.contracts.hypothesis"}') }
  if (first === 'sessions' && third === 'runs') {
    const { small } = world
    const run = runOf(world, second) ?? { ...small, sessionId: second, runId: fourth, summary: { ...small.summary, sessionId: second, runId: fourth } }
    if (fifth === 'shape') {
      const { run: _, ...shaped } = run
      return shaped
    }
    if (fifth === 'drift') return drift(run)
    if (fifth === 'steps') return found[6] === 'writes' ? fixtures.stepWrites(sixth) : fixtures.stepDetail(run, sixth)
    if (fifth === 'events') return events(run, query)
    if (fifth === 'fork') return forked(run, query.node)
    if (fifth === 'recap') return recap(run, query.node)
    if (fifth === 'blame') return blame(run, query.node)
  }
  if (first === 'sessions') return { bytes: Buffer.from('{}') }
  return parts.reply(world.parts, found, query)
}

function act(world, found, body, hint) {
  const [first, second, third] = found
  if (first === 'sessions' && third === 'settle') {
    const at = world.questions.findIndex((question) => question.run.sessionId === second && question.nodeId === body.node)
    if (at < 0) fail(409, 'PRECONDITION_FAILED', 'Somebody else has decided this already. Your decision was not recorded.', 'Look at the run to see what was decided.')
    const [settled] = world.questions.splice(at, 1)
    hint({ scope: 'run', name: second })
    return { run: settled.run, reason: settled.reason, summary: body.words ?? 'Approved.', isHeld: true }
  }
  if (first === 'demo') {
    world.isEmpty = false
    hint({ scope: 'run' })
    return {}
  }
  if (first === 'sessions' && found[4] === 'prefer') return prefer(world, second, body.node)
  if (first === 'sessions') return { sessionId: second, kept: body?.keep ?? false, setAside: [] }
  return parts.act(world.parts, found, body, hint)
}

function prefer(world, session, node) {
  const run = runOf(world, session)
  const { nodes, tips } = run.shape
  const at = nodes.id.indexOf(node)
  const isBelow = (tip) => {
    for (let up = tip; up !== null; up = nodes.parent[up]) if (up === at) return true
    return false
  }
  const tip = tips.findLast(isBelow)
  run.shape.preferredTip = tip
  return { sessionId: session, runId: run.runId, tipId: nodes.id[tip], wasPreferred: false }
}

function inbox(world) {
  const list = (items, leftOut = 0) => ({ items, leftOut })
  if (world.isEmpty) return { questions: list([]), blocked: list([]), gaps: list([]), damaged: list([]), overlays: list([]), unloaded: list([]), runsNotRead: 0 }
  const all = Array.from({ length: 60 }, (_, i) => entry(i + 5))
  return {
    questions: list(world.questions),
    blocked: list(all.filter((it) => it.summary.status === 'blocked' && !it.isWaiting).map((it) => it.summary).slice(0, 6), 4),
    gaps: list(all.filter((it) => it.summary.status === 'complete_with_gaps').map((it) => ({ run: it.summary, critical: 1 })).slice(0, 4), 2),
    damaged: list([{ sessionId: world.damaged.sessionId, labels: ['dusty-raven'], trouble: world.damaged.damage }]),
    overlays: list([{ overlay: '/shop-changes', over: '/shop', changes: 4 }]),
    unloaded: list([{ path: '/home/mara/shop/.piton/workflows/release.json', sourceKind: 'project', problems: [{ path: '/steps/2/promptBlocks', code: 'UNKNOWN_FIELD', reason: 'The field `procedures` is unknown.', fix: 'Did you mean `procedure`?' }, { path: '', code: 'MISSING_FIELD', reason: 'The id is missing.', fix: 'Add one.' }] }]),
    restart: { restartNeeded: true },
    runsNotRead: 0,
  }
}

function drift(run) {
  const isDrifted = run.summary.workflow.id === 'wr.bug_investigation'
  return { runId: run.runId, workflowId: run.summary.workflow.id, isDrifted, valuesLeftOut: 0, drift: { pinnedHash: digest(3), currentHash: digest(isDrifted ? 4 : 3), fields: [], steps: isDrifted ? [{ stepId: 'plan', title: 'Plan the fix', change: 'changed', fields: [{ field: 'prompt', pinned: 'Plan the smallest change.\nName what could break.', current: 'Plan the smallest change, and say what you leave out.\nName what could break.' }] }, { stepId: 'prove', title: 'Prove it', change: 'changed', fields: [{ field: 'requireConfirmation', pinned: false, current: true }] }] : [] } }
}

const FIELDS = [
  { name: 'status', meaning: 'How far a run is', values: ['in_progress', 'waiting', 'blocked', 'complete', 'complete_with_gaps'], operators: [':'] },
  { name: 'workflow', meaning: 'The workflow; * stands for any end', values: fixtures.WORKFLOWS.map(([it]) => it), operators: [':'] },
  { name: 'branch', meaning: 'The branch that was checked out', values: ['main', 'fix/login', 'feat/rate-limit'], operators: [':'] },
  { name: 'age', meaning: 'Time since the newest event: 30m, 2h, 1d', operators: ['<', '>'] },
  { name: 'gaps', meaning: 'Number of open gaps', operators: ['>', ':'] },
  { name: 'label', meaning: 'The two words of a run', operators: [':'] },
]

/** Reads a query line as the server does, with positions. */
function terms(line) {
  return [...line.matchAll(/(?:"[^"]*"?|[^\s"])+/g)].map((match) => {
    const [from, to] = [match.index, match.index + match[0].length]
    const field = /^([a-z_]+)(:|<|>)(.*)$/.exec(match[0])
    if (!field) return { from, to, kind: 'text' }
    if (!FIELDS.some((it) => it.name === field[1])) return { from, to, kind: 'problem', message: `is no field. Fields: ${FIELDS.map((it) => it.name).join(', ')}.` }
    if (field[1] === 'age' && !/^\d+[mhd]$/.test(field[3])) return { from, to, kind: 'problem', message: 'needs a number and a unit, such as age<1d.' }
    return { from, to, kind: 'field' }
  })
}

function runPage(world, query) {
  const line = query.query ?? ''
  const wanted = [...line.matchAll(/status:(\S+)/g)].map((match) => match[1])
  const from = Number(query.from ?? 0)
  const limit = Math.min(200, Number(query.limit ?? 50))
  const fixed = [world.small.run, world.large.run, world.damaged.run]
  const at = (i) => (i < 3 ? fixed[i] : entry(i))
  const fits = (it) => wanted.length === 0 || wanted.includes(it.isWaiting ? 'waiting' : it.summary.status)
  let total = world.isEmpty ? 0 : TOTAL
  let runs = []
  if (wanted.length > 0) {
    const all = Array.from({ length: world.isEmpty ? 0 : 2000 }, (_, i) => at(i)).filter(fits)
    total = /nothing/.test(line) ? 0 : all.length
    runs = total === 0 ? [] : all.slice(from, from + limit)
  } else if (/nothing/.test(line)) total = 0
  else runs = Array.from({ length: Math.max(0, Math.min(limit, total - from)) }, (_, i) => at(from + i))
  return {
    version: 1,
    total,
    from,
    isCaughtUp: true,
    unreadable: 0,
    runs: runs.map(({ summary }) => ({ run: summary })),
    terms: terms(line),
    facets: [
      { field: 'status', values: [['in_progress', 14210], ['waiting', 2], ['blocked', 14318], ['complete', 57204], ['complete_with_gaps', 14266]].map(([value, count]) => ({ value, count })), leftOut: 0 },
      { field: 'workflow', values: fixtures.WORKFLOWS.map(([value], i) => ({ value, count: 20_412 - i * 311 })), leftOut: 3 },
      { field: 'branch', values: [['main', 20_110], ['fix/login', 19_884], ['feat/rate-limit', 20_021]].map(([value, count]) => ({ value, count })), leftOut: 12 },
    ],
  }
}

function search() {
  const piece = (text, isMatch = false) => ({ text, isMatch })
  const excerpt = { pieces: [piece('it '), piece('retries', true), piece(' once')], isCutBefore: false, isCutAfter: false }
  return {
    runs: [],
    from: 0,
    total: 0,
    groups: [
      { kind: 'workflow', total: 1, things: [{ place: 'wr.tour', name: 'Two minutes with Piton' }] },
      { kind: 'backpack', total: 3, things: [{ place: 'login', name: 'retry.limit' }] },
      { kind: 'frame', total: 1, things: [{ place: 'src/login', name: 'summary', excerpt }] },
      { kind: 'file', total: 1, things: [{ place: '/scratch/retry.rs' }] },
    ],
  }
}

function events(run, query) {
  const node = query.node
  const at = Math.max(0, run.shape.nodes.id.indexOf(node))
  const created = run.shape.nodes.created[at]
  const kinds = ['node_created', 'edge_created', 'advance_recorded', 'node_output_appended', 'gap_recorded', 'decision_trace_appended']
  const total = node ? 6 : run.shape.nodes.id.length * 4
  const from = Number(query.from ?? 0)
  const shown = kinds.slice(0, Math.max(0, total - from)).map((kind, i) => ({ v: 1, eventId: id('evt', at * 10 + i), eventIndex: at * 4 + i + 2, sessionId: run.sessionId, kind, scope: { runId: run.runId, nodeId: node }, data: { outcome: 'advanced', outputs: [digest(at)], snapshotRef: digest(at + 1) }, timestampMs: created + i * 900 }))
  return { sessionId: run.sessionId, total: run.shape.nodes.id.length * 4, events: shown }
}

function forked(run, node) {
  const { summary } = run.run
  const at = run.shape.nodes.id.indexOf(node)
  return {
    sessionId: run.sessionId,
    runId: run.runId,
    label: summary.label,
    name: summary.label,
    nodeId: node,
    step: 'prove',
    title: run.shape.titles[run.shape.nodes.title[at]] ?? 'Prove it',
    wasLeft: true,
    nextCall: { tool: 'continue_workflow', params: { stateToken: 'st-7h2kq9xd-3-m3v8c2nq5wp1d6x0' } },
  }
}

function recap(run, node) {
  const lines = fixtures.NOTES.split('\n').slice(0, 14)
  return { nodeId: node, lines: lines.map((text, i) => ({ text, ...(i < 11 ? { from: { nodeId: run.shape.nodes.id[i < 4 ? 0 : 1], event: i < 4 ? 6 : 12, at: run.shape.nodes.created[i < 4 ? 0 : 1] } } : {}) })) }
}

function link(run, at) {
  return { nodeId: run.shape.nodes.id[at], step: `step_${at}`, title: run.shape.titles[run.shape.nodes.title[at]], at: run.shape.nodes.created[at], outputs: [{ outputId: id('out', at), event: at * 4, at: run.shape.nodes.created[at], kind: 'notes', digest: digest(at), headline: 'Ran the reported steps five times; it failed five of five times.' }] }
}

function blame(run, node) {
  return { label: run.summary.label, workflowId: run.summary.workflow.id, nodeId: node, chain: [0, 1, 3, 4, 5].map((at) => link(run, at)), leftOut: 0 }
}

function comparison(world) {
  const run = world.small
  const nothing = { keysLeftOut: 0, filesLeftOut: 0, framesLeftOut: 0 }
  const last = run.shape.nodes.id.length - 1
  return {
    kind: 'run',
    ancestor: { name: 'amber-otter', step: link(run, 18), written: nothing },
    left: { name: 'left', nodeId: run.shape.nodes.id[last - 2], steps: [link(run, 18), link(run, last - 3), link(run, last - 2)], written: { ...nothing, files: [{ path: '/shop-changes/src/login/session.rs', kind: 'modified', by: 'agent', diff: fixtures.DIFF, leftOut: 0 }] } },
    right: { name: 'right', nodeId: run.shape.nodes.id[last], steps: [link(run, 18), link(run, last - 1), link(run, last)], written: nothing },
    outputs: [
      { step: 'change', left: digest(1), right: digest(2), leftOut: 0, diff: [{ sign: 'same', text: 'I moved the renewal of the cookie.' }, { sign: 'removed', text: 'It now happens before the hash is replaced, in a transaction.' }, { sign: 'added', text: 'It now happens after the hash is durable, without a transaction.' }] },
      { step: 'prove', right: digest(3), leftOut: 2, diff: [{ sign: 'added', text: 'Command: cargo test -p shop-login survives' }, { sign: 'added', text: 'Result: test result: ok. 1 passed' }] },
    ],
    context: [{ key: 'approach', left: 'transaction', right: 'order' }],
  }
}
