/** Replies about workflows, backpacks, files, context and settings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIFF, HOUR, MINUTE, NOW, WORKFLOWS, digest, id } from './fixtures.mjs'

const BUILT_IN = join(import.meta.dirname, '../../../workflow/workflows')
const RELEASE = `{
  "id": "team.release",
  "name": "Release checklist",
  "description": "From a frozen branch to an announcement, with one approval.",
  "tags": ["release"],
  "features": ["wr.features.notes_discipline"],
  "steps": [
    {
      "id": "freeze",
      "title": "Freeze",
      "promptBlocks": {
        "goal": "Make sure that nothing enters the release branch any more.",
        "procedures": ["Announce the freeze.", "Note the commit."]
      }
    },
    {
      "id": "approve",
      "title": "Ask for approval",
      "needsUser": { "reason": "approval", "question": "May the release go out?" },
      "promptBlocks": { "goal": "Ask, and wait for the answer." }
    }
  ]
}
`

export function world() {
  const change = (path, kind, added, removed, diff, more = {}) => ({ path, kind, added, removed, diff, by: record(3, path), seen: digest(path.length * 7 + added), ...more })
  const unified = `--- a/src/login/session.rs\n+++ b/src/login/session.rs\n@@ -112,9 +112,10 @@\n${DIFF.slice(1).map((line) => ({ same: ' ', added: '+', removed: '-' })[line.sign] + line.text).join('\n')}\n`
  return {
    release: RELEASE,
    changes: [
      change('src/login/cookie.rs', 'modified', 1, 1, '@@ -8,3 +8,3 @@\n const NAME: &str = "shop";\n-const DAYS: u32 = 30;\n+const DAYS: u32 = 14;\n fn path() {}\n', { changedBelow: true }),
      change('src/login/session.rs', 'modified', 3, 2, unified),
      change('tests/login/survives.rs', 'added', 2400, 0, `@@ -0,0 +1,2400 @@\n${Array.from({ length: 2400 }, (_, i) => `+    case(${i}, "mara", Expected::Ok);`).join('\n')}\n`),
      change('tests/login/old_cookie.rs', 'deleted', 0, 12, `@@ -1,12 +0,0 @@\n${Array.from({ length: 12 }, (_, i) => `-// line ${i + 1} of a test that nobody needs`).join('\n')}\n`),
    ],
  }
}

function record(number, path, tool = 'write') {
  return { number, timestampMs: NOW - number * 7 * MINUTE, agent: 'claude-code', session: id('sess', 1), run: id('run', 1), tool, path: `/shop-changes/${path}`, before: digest(number), after: digest(number + 1), outcome: 'done' }
}

export function reply(world, found, query) {
  const [first, second, third, fourth] = found
  if (first === 'workflows') return workflows(world, second, third)
  if (first === 'backpacks') return backpacks(second, third, fourth, query)
  if (first === 'workspaces') return files(second, query)
  if (first === 'overlays') return { overlay: second, over: '/shop', changes: world.changes, leftOut: 0 }
  if (first === 'context') return context(second, query)
  if (first === 'settings') return settings(second)
  return undefined
}

export function act(world, found, body, hint) {
  const [first, second, third] = found
  if (first === 'workflows' && second === 'check') return check(body.text)
  if (third === 'save') {
    if (body.text.includes('CONFLICT')) return { kind: 'conflict', path: '/home/mara/x.json', digest: digest(5), text: RELEASE, lines: DIFF, linesLeftOut: 0 }
    world.release = body.text
    return { kind: 'saved', path: '/home/mara/shop/.piton/workflows/release.json', digest: digest(8), check: check(body.text) }
  }
  if (third === 'copy') return { workflowId: 'team.release' }
  if (first === 'overlays') {
    const paths = body.changes.map((it) => it.path)
    world.changes = world.changes.filter((it) => !paths.includes(it.path))
    hint({ scope: 'files' })
    return { overlay: second, over: '/shop', changes: paths.length }
  }
  if (first === 'backpacks') return { ...item('customer/email'), value: { size: 24, text: '"mara@example.com"', leftOutBytes: 0 } }
  return {}
}

function check(text) {
  const at = text.indexOf('"procedures"')
  try {
    JSON.parse(text)
  } catch (error) {
    return { isSound: false, problems: [{ path: '', code: 'NOT_JSON', reason: `The text is not JSON: ${error.message}.`, fix: 'Fix it at the mark.', range: { line: text.split('\n').length, column: 1, endColumn: 2 } }], warnings: [] }
  }
  if (at < 0) return { isSound: true, dialect: 'strict', problems: [], warnings: [{ code: 'NO_CRITERIA', subject: 'freeze', message: 'The step has no rule for its notes: anything is accepted.' }], workflowId: 'team.release', workflowHash: digest(12) }
  const before = text.slice(0, at).split('\n')
  const column = before.at(-1).length + 1
  return { isSound: false, dialect: 'strict', problems: [{ path: '/steps/0/promptBlocks/procedures', code: 'UNKNOWN_FIELD', reason: 'The field `procedures` is unknown.', fix: 'Did you mean `procedure`?', range: { line: before.length, column, endColumn: column + 12 } }], warnings: [] }
}

function workflows(world, name, what) {
  if (name === undefined) {
    return {
      workflows: [
        ...WORKFLOWS.slice(0, 4).map(([workflowId, title, steps]) => ({ workflowId, name: title, description: 'From a report to a fix that is proven.', tags: ['coding'], sourceKind: 'bundled', idStatus: 'namespaced', workflowHash: digest(1), steps: steps.length })),
        { workflowId: 'wr.documentation', name: 'Write documentation', tags: ['writing'], sourceKind: 'bundled', idStatus: 'namespaced', workflowHash: digest(2), steps: 6 },
        { workflowId: 'team.release', name: 'Release checklist', tags: ['release'], sourceKind: 'project', idStatus: 'namespaced', workflowHash: digest(3), steps: 7, warnings: [{ code: 'NO_CRITERIA', subject: 'freeze', message: 'The step has no rule for its notes.' }] },
        { workflowId: 'user.triage', name: 'Triage of the inbox', tags: ['support'], sourceKind: 'user', idStatus: 'namespaced', workflowHash: digest(4), steps: 5 },
      ],
      leftOut: 0,
      tags: ['coding', 'release', 'support', 'writing'],
      problems: [{ path: '/home/mara/shop/.piton/workflows/hotfix.json', sourceKind: 'project', problems: [{ path: '/steps/2', code: 'UNKNOWN_FIELD', reason: 'The field `procedures` is unknown.', fix: 'Did you mean `procedure`?' }] }],
      shadowed: [{ workflowId: 'user.triage', path: '/home/mara/team/triage.json', by: '/home/mara/.config/piton/workflows/triage.json' }],
      projectDir: '/home/mara/shop',
    }
  }
  if (name === 'built-ins') return { builtins: ['wr.features.notes_discipline', 'wr.features.capabilities', 'wr.contracts.loop_control', 'wr.templates.review'].map((it) => ({ id: it, kind: it.split('.')[1].replace(/s$/, ''), label: it.split('.')[2].replaceAll('_', ' '), description: 'What it brings is in the catalogue.', insert: it, place: 'workflow' })), routines: ['team.collect'], workflows: ['team.release'] }
  if (what === 'source') {
    if (!name.startsWith('wr.')) return { workflowId: name, path: '/home/mara/shop/.piton/workflows/release.json', sourceKind: 'project', isReadOnly: false, text: world.release, digest: digest(7), check: check(world.release) }
    const text = readFileSync(join(BUILT_IN, `${name.slice(3)}.json`), 'utf8')
    return { workflowId: name, sourceKind: 'bundled', isReadOnly: true, text, digest: digest(6), check: { isSound: true, problems: [], warnings: [] } }
  }
  const titles = WORKFLOWS[0][2]
  const ids = ['report', 'reproduce', 'hypothesis', 'test', 'decide', 'plan', 'change', 'prove']
  if (what === 'compiled') {
    const steps = titles.map((title, i) => ({ stepId: ids[i], title, requireConfirmation: i === 5, prompt: `${title}.\n\nDo not change the code under test.\n\nWrite notes for a reader who was not there.`, additions: [{ featureId: 'wr.features.notes_discipline', contentDigest: digest(3), bytes: 212 }], ...(i === 4 ? { outputContract: { contractRef: 'wr.contracts.loop_control' } } : {}), validationCriteria: i < 2 ? [{}, {}] : [], provenance: { source: 'authored' } }))
    steps.unshift({ stepId: 'wr.probe.delegation', title: 'Can you start subagents?', requireConfirmation: false, prompt: 'Try to start a subagent.', additions: [], validationCriteria: [], probe: { capability: 'delegation' }, provenance: { source: 'feature_injected', originId: 'wr.features.capabilities' } })
    return {
      workflowHash: digest(3),
      hashInputs: [['steps/report', 812], ['steps/reproduce', 1204], ['sequence', 240], ['loops', 310], ['features', 96]].map(([part, bytes], i) => ({ part, bytes, digest: digest(i) })),
      files: [{ digest: digest(6), isRoutine: false }],
      workflow: { workflowId: name, features: [], steps, sequence: [{ kind: 'step', stepId: 'wr.probe.delegation' }, { kind: 'step', stepId: 'report' }, { kind: 'step', stepId: 'reproduce' }, { kind: 'loop', loopId: 'hypotheses' }, { kind: 'step', stepId: 'plan' }, { kind: 'step', stepId: 'change' }, { kind: 'step', stepId: 'prove' }], loops: [{ loopId: 'hypotheses', title: 'Hypotheses', conditionId: 'cause_unknown', maxIterations: 6, body: ids.slice(2, 5).map((stepId) => ({ kind: 'step', stepId })) }] },
    }
  }
  const refused = [6, 118, 12, 40, 3, 8, 21, 64]
  const refusals = { 1: [['no line `Command: …` that shows the failure', 91], ['the command was not run', 27]], 3: [['artifact without evidence', 40]], 7: [['no line `Result: …`', 64]] }
  return {
    workflowId: name, runs: 214, completed: 171, versions: 3, runsLeftOut: 0, unreadable: 1,
    steps: titles.map((title, i) => ({ stepId: ids[i], title, visits: 214 - i * 5, attempts: 260 + ((i * 67) % 190), refused: refused[i], refusals: (refusals[i] ?? []).map(([reason, count]) => ({ code: 'MISSING_REQUIRED_OUTPUT', reason, count })), refusalsLeftOut: 0, spentMs: (40_000 + i * 21_000) * 260, spentMedianMs: 40_000 + i * 21_000, waitedMs: i === 5 ? 9_000_000 : 0, gaps: i === 7 ? 9 : 0, openGaps: 0, forks: i === 6 ? 12 : 0, divergences: 0 })),
  }
}

const by = (nodeName) => ({ nodeId: nodeName, nodeName })
const KEYS = [['customer/email', 'text, protected', 24], ['hypothesis/1', '"the cache holds the old hash"', 31], ['hypothesis/2', '"the cookie is written before the hash"', 41], ['plan/draft', '{ 3 steps, 1 risk }', 812], ['report/actual', '"401 session_stale, once"', 26], ['report/expected', '"the next request is accepted"', 32], ['tests/smallest', '"cargo test -p shop-login survives"', 37]]
function item(key) {
  const at = Math.max(0, KEYS.findIndex(([name]) => name === key))
  const [name, summary, size] = KEYS[at]
  return { backpack: 'investigation', key: name, by: by(['agent', 'collect', 'judge'][at % 3]), timestampMs: NOW - at * 9 * MINUTE, version: 1 + (at % 4), tags: at === 0 ? ['pii'] : at === 3 ? ['draft'] : [], summary, size }
}
function commits() {
  return Array.from({ length: 24 }, (_, i) => {
    const [key, summary, size] = KEYS[(i * 5) % KEYS.length]
    return { commit: digest(i + 300).slice(7, 39), short: digest(i + 300).slice(7, 14), timestampMs: NOW - i * 5 * MINUTE, by: by(['agent', 'collect', 'judge'][i % 3]), action: ['pack', 'pack', 'unpack', 'quarantine'][i % 4], key, version: 1 + (i % 4), size, summary, abandoned: i === 7, ...(i === 5 ? { refused: 'pack' } : {}), ...(i % 3 === 0 ? { provenance: { session: id('sess', 1), run: id('run', 1), node: id('node', 1003), step: 'hypothesis' } } : {}) }
  })
}
function backpacks(name, what, key, query) {
  if (name === undefined) return { backpacks: [['investigation', 7, 24, 'research/triage'], ['release-4.12', 18, 210, undefined], ['bp_2k9x41', 3, 9, 'import/nightly'], ['scratch', 0, 0, undefined]].map(([it, keys, total, flow], i) => ({ id: it, short: it.slice(0, 8), ...(total ? { lastMs: NOW - i * 3 * HOUR } : {}), keys, commits: total, ...(flow ? { run: { runId: id('run', i), flow, digest: digest(i), status: 'finished', steps: 9, lastNode: 'judge' } } : {}) })), troubled: [{ id: 'old-import', trouble: { code: 'BACKPACK_CORRUPT', message: 'The log is damaged after commit 44.', suggestion: 'piton backpack repair old-import', retry: { kind: 'not_retryable' } } }], leftOut: 0 }
  const all = commits()
  if (what === 'log') return { backpack: name, commits: all, older: 0, notes: 14 }
  if (what === 'state') {
    const at = query.at ? all.findIndex((it) => it.commit === query.at) : 0
    return { backpack: name, commit: all[at]?.commit, items: KEYS.slice(0, Math.max(1, 7 - Math.floor(at / 4))).map(([it]) => item(it)), leftOut: 0 }
  }
  if (what === 'items') {
    const found = item(key)
    const value = key === 'customer/email' ? { size: 24, leftOutBytes: 0, hidden: 'pii' } : { size: found.size, leftOutBytes: 0, text: key === 'plan/draft' ? JSON.stringify({ steps: ['move the renewal', 'keep the cookie name', 'test'], risk: 'mobile clients cache the cookie' }, null, 2) : found.summary }
    return { ...found, value }
  }
  if (what === 'diff') return { before: { backpack: name }, after: { backpack: name }, leftOut: 0, changes: [{ key: 'hypothesis/2', kind: 'modified', by: by('agent'), diff: [{ sign: 'removed', text: '"the cache holds the old hash"' }, { sign: 'added', text: '"the cookie is written before the hash"' }], leftOutLines: 0 }, { key: 'plan/draft', kind: 'added', by: by('judge'), after: '{ 3 steps, 1 risk }', diff: [], leftOutLines: 0 }] }
  if (what === 'blame') return { backpack: name, leftOut: 0, lines: KEYS.map(([it], i) => ({ ...item(it), commit: digest(i).slice(7, 14), ...(i % 2 ? { provenance: { session: id('sess', 1), run: id('run', 1), node: id('node', 1003), step: 'hypothesis' } } : {}) })) }
  if (what === 'quarantine') return { backpack: name, leftOut: 0, entries: [{ commit: digest(1), short: 'a81f', timestampMs: NOW - HOUR, by: by('collect'), key: 'mail/raw', reason: 'It quotes a protected value: customer/email.', size: 4100 }] }
  if (what === 'flow') {
    const nodes = [['collect', 'http', 'finished', 3], ['clean', 'map', 'finished', 3], ['judge', 'model', 'finished', 3], ['ask', 'person', 'current', 1], ['fix', 'model', 'not_visited', 0], ['report', 'write', 'not_visited', 0]]
    return { backpack: name, runId: id('run', 3), status: 'running', nodes: nodes.map(([path, kind, state, visits], i) => ({ path, kind, state, visits, isStart: i === 0 })), edges: [['collect', 'clean', 'default', 3], ['clean', 'judge', 'default', 3], ['judge', 'collect', 'more', 2], ['judge', 'ask', 'unsure', 1], ['ask', 'fix', 'yes', 0], ['ask', 'report', 'no', 0], ['fix', 'report', 'default', 0]].map(([from, to, condition, taken]) => ({ from, to, condition, taken })), leftOut: 0, olderVisits: 0 }
  }
  return undefined
}

const WORKSPACES = [
  { prefix: '/shop', scope: 'read-only', purpose: 'The code of the shop', store: 'the directory /home/mara/shop', declaredBy: 'project' },
  { prefix: '/shop-changes', scope: 'read-write', purpose: 'Changes to the shop, to be reviewed', store: 'an overlay over /shop', declaredBy: 'project', overlayOver: '/shop' },
  { prefix: '/notes', scope: 'read-write', purpose: 'Notes across runs', store: 'the data of Piton', declaredBy: 'user' },
  { prefix: '/outbox', scope: 'write-only', purpose: 'Reports for people', store: 'the directory /home/mara/outbox', declaredBy: 'user' },
]
function files(what, query) {
  if (what === undefined) return { workspaces: WORKSPACES, notes: ['The kernel keeps this process inside these directories.'] }
  if (what === 'resolve') {
    const isSecret = query.path.includes('.env')
    return { path: query.path, workspace: WORKSPACES[0], at: query.path.split('/').slice(2).join('/'), ...(isSecret ? { hidden: 'No such file. Files named .env are hidden from agents.' } : {}), tools: ['read', 'list', 'search', 'write', 'edit', 'move', 'remove'].map((tool, i) => ({ tool, ...(i > 2 ? { refused: 'The Workspace is read-only.' } : isSecret ? { refused: 'The path is hidden.' } : {}) })) }
  }
  return { searched: 412, next: 'x.1.2', records: Array.from({ length: 18 }, (_, i) => ({ ...record(i + 1, ['src/login/session.rs', 'src/login/cookie.rs', 'tests/login/survives.rs'][i % 3], ['write', 'edit', 'write', 'remove'][i % 4]), ...(i === 4 ? { outcome: 'undone' } : {}), ...(i === 2 ? { overlay: '/shop-changes' } : {}) })) }
}

function context(what, query) {
  const node = query.node ?? ''
  const counts = (fresh, stale, missing) => ({ nodes: fresh + stale + missing, fresh, stale, missing })
  const names = node === '' ? [['docs', 14, 2, 6], ['src', 92, 18, 44], ['tests', 31, 0, 60], ['Cargo.toml', 1, 0, 0], ['README.md', 0, 1, 0]] : [['cookie.rs', 1, 0, 0], ['mod.rs', 0, 0, 1], ['password.rs', 1, 0, 0], ['session.rs', 0, 1, 0], ['store', 5, 1, 2]]
  const entry = ([name, fresh, stale, missing]) => ({ name, path: node ? `${node}/${name}` : name, kind: name.includes('.') ? 'file' : 'directory', size: 4100, counts: counts(fresh, stale, missing) })
  if (what === 'level') return { path: node, tree: 41, own: counts(1, 0, 0), from: 0, entries: names.map(entry), total: names.length }
  const frame = (type, state, more = {}) => ({ id: digest(type.length * 3), path: node, frameType: type, agent: 'claude-code', made: 'written', isFresh: state === 'fresh', isHead: true, relation: 'own', createdAtMs: NOW - 5 * HOUR, bytes: 640, ...more })
  if (what === 'frames') return { path: node, leftOut: 0, frames: [frame('summary', 'fresh', { content: 'Logins, sessions and passwords. A session names the **hash** that it was made with, so a change of the password ends every session but the one that changed it.\n\n- `session.rs` renews cookies\n- `password.rs` hashes' }), frame('invariants', 'stale', { staleBecause: 'session.rs changed since: the frame is based on 3f1a…, the file is 9c02….', made: 'by a model', content: 'A cookie is never older than the hash that it names.' })] }
  if (what === 'compose') {
    let sum = 0
    return { path: node, maxTokens: 8000, tokens: 7400, leftOut: 3, frames: [['src/login', 'summary', 'own', 160], ['src/login', 'invariants', 'own', 90], ['src', 'summary', 'parent', 1900], ['src/payments', 'summary', 'sibling', 2300], ['src/search', 'summary', 'sibling', 1450], ['src/mail', 'summary', 'sibling', 1700], ['src/import', 'summary', 'sibling', 2600], ['src/legacy', 'history', 'sibling', 5200]].map(([path, type, relation, tokens], i) => ({ frame: frame(type, i === 1 ? 'stale' : 'fresh', { id: digest(i + 70), path, relation }), tokens, isIncluded: (sum += tokens) <= 8000, fitsAt: sum })) }
  }
  return undefined
}

function settings(what) {
  if (what === 'retention') return { isRehearsal: true, removed: Array.from({ length: 12 }, (_, i) => id('sess', 900 + i)), young: 418, kept: 7, spared: 1, blobs: [{ namespace: 'workflow', kept: 9000, removed: 120, removedBytes: 4_200_000 }], safeMode: false }
  const setting = (key, value, place, effect, meaning, more = {}) => ({ key, value, applied: value, isApplied: true, place, effect, meaning, accepts: 'a path', variable: `PITON_${key.toUpperCase().replace('.', '_')}`, inProject: false, ...more })
  return {
    userFile: '/home/mara/.config/piton/config.toml',
    projectFile: '/home/mara/shop/piton.toml',
    restartNeeded: true,
    sections: [{ section: 'workspaces', place: 'project', at: '/home/mara/shop/piton.toml:14', meaning: 'Files that agents may touch.' }],
    settings: [
      setting('data.dir', '/home/mara/.local/share/piton', 'default', 'restart', 'The data directory.'),
      setting('workflows.dirs', ['/home/mara/team-workflows', '/srv/workflows'], 'user', 'restart', 'Additional directories with workflow files. Later ones override earlier ones.', { applied: ['/home/mara/team-workflows'], isApplied: false, at: '/home/mara/.config/piton/config.toml:3:8' }),
      setting('preferences.autonomy', 'guided', 'project', 'live', 'When new runs wait for a person.', { names: ['guided', 'full_auto_stop_on_user_deps', 'full_auto_never_stop'], accepts: 'one of these', at: '/home/mara/shop/piton.toml:2:12' }),
      setting('preferences.risk_policy', undefined, 'default', 'live', 'Which of several correct approaches new runs choose.', { names: ['conservative', 'balanced', 'aggressive'] }),
      setting('retention.days', 90, 'default', 'live', 'The number of days that a session is kept after its last event.', { accepts: 'a number from 1 to 36500' }),
      setting('http.bind', '127.0.0.1', 'default', 'restart', 'The address that the server listens on.'),
      setting('http.port', 7420, 'environment', 'restart', 'The port that the server listens on.', { at: 'PITON_HTTP_PORT' }),
      setting('log.level', 'info', 'default', 'live', 'How much is logged.', { names: ['error', 'warn', 'info', 'debug'] }),
    ],
  }
}
