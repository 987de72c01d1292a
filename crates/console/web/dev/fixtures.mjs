/** Data for looking at the page without a server: replies with the fields of the runtime, made from a seed. */

export const NOW = Date.UTC(2026, 10, 18, 14, 2, 0)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
export function id(prefix, seed) {
  const next = random(seed * 7919 + prefix.length * 104729 + prefix.charCodeAt(0))
  let text = String(Math.floor(next() * 8))
  for (let i = 0; i < 25; i++) text += ALPHABET[Math.floor(next() * 32)]
  return `${prefix}_${text}`
}
export function digest(seed) {
  const next = random(seed + 17)
  let text = ''
  for (let i = 0; i < 64; i++) text += '0123456789abcdef'[Math.floor(next() * 16)]
  return `sha256:${text}`
}

const ADJECTIVES = ['amber', 'brisk', 'calm', 'dusty', 'eager', 'faint', 'golden', 'hollow', 'ivory', 'jolly', 'keen', 'lunar', 'mellow', 'noble', 'olive', 'plain', 'quiet', 'rapid', 'silver', 'tidal']
const ANIMALS = ['otter', 'heron', 'lynx', 'marten', 'newt', 'osprey', 'plover', 'raven', 'stoat', 'tern', 'vole', 'wren', 'bison', 'crane', 'dingo', 'egret', 'finch', 'gecko', 'hare', 'ibis']
export const label = (seed) => `${ADJECTIVES[seed % 20]}-${ANIMALS[Math.floor(seed / 3) % 20]}`

const GOALS = [
  'Fix the login that fails after a password change',
  'Find out why exports of more than 10,000 rows time out',
  'Add a rate limit to the public search endpoint',
  'Review the change to the billing retry queue',
  'Document the on-disk format of snapshots',
  'Upgrade the HTTP client and prove that retries still work',
  'Make the import idempotent for repeated files',
  'Reproduce the flaky test in payments/refund_test',
  'Research how other runtimes fold event logs',
  'Replace the hand-written parser of settings',
  'Explain the memory growth of the indexer over a week',
  'Write a migration for the renamed column of invoices',
]
const WORKFLOWS = [
  ['wr.bug_investigation', 'Investigate and fix a bug', ['Say exactly what is wrong', 'Reproduce it', 'Form a hypothesis', 'Test the hypothesis', 'Decide whether the cause is known', 'Plan the fix', 'Make the change', 'Prove it']],
  ['wr.feature_implementation', 'Implement a feature', ['Understand the request', 'Read what is there', 'Design', 'Approve the design', 'Implement', 'Test', 'Review your own change', 'Hand over']],
  ['wr.code_review', 'Review a change', ['Read the change', 'Check each claim', 'Run what can be run', 'Write the verdict']],
  ['wr.research', 'Research a question', ['Sharpen the question', 'Collect sources', 'Read and note', 'Weigh', 'Answer']],
  ['team.release', 'Release checklist', ['Freeze', 'Changelog', 'Build artifacts', 'Smoke test', 'Ask for approval', 'Publish', 'Announce']],
]
const BRANCHES = ['main', 'fix/login', 'feat/rate-limit', 'chore/http-client', undefined]
const STATUSES = ['in_progress', 'complete', 'complete', 'complete', 'blocked', 'complete_with_gaps', 'complete']

/** The run of a number; the same number gives the same run. */
export function entry(seed, changes = {}) {
  const next = random(seed * 31 + 5)
  const [workflowId, name, titles] = WORKFLOWS[Math.floor(next() * WORKFLOWS.length)]
  const status = STATUSES[Math.floor(next() * STATUSES.length)]
  const isDone = status.startsWith('complete')
  const number = 1 + Math.floor(next() * titles.length)
  const activeAt = NOW - Math.floor(seed * 4 * MINUTE + next() * 3 * MINUTE + seed * seed * 400)
  const isWaiting = status === 'blocked' && next() < 0.4
  const goal = GOALS[Math.floor(next() * GOALS.length)]
  const branch = BRANCHES[Math.floor(next() * BRANCHES.length)]
  const summary = {
    sessionId: id('sess', seed),
    runId: id('run', seed),
    label: label(seed),
    title: goal,
    goal,
    workflow: { id: workflowId, hash: digest(seed % 5), name, stepTitles: titles },
    ...(isDone ? {} : { step: { stepId: `step_${number}`, title: titles[number - 1], number, of: titles.length } }),
    status,
    openGaps: status === 'complete_with_gaps' ? 1 + Math.floor(next() * 3) : 0,
    nodes: 4 + Math.floor(next() * 30),
    tips: next() < 0.15 ? 2 : 1,
    surroundings: { ...(branch ? { branch } : {}), headSha: digest(seed).slice(7, 47), repoRoot: '/home/mara/shop' },
    startedAt: activeAt - Math.floor(next() * 3 * HOUR),
    activeAt,
    tip: id('node', seed * 1000),
    activity: 40 + Math.floor(next() * 200),
    recap: 'The session cookie is written before the password hash is replaced. The next request compares an old hash.\n\n**Next:** move the write behind the commit.',
  }
  const reason = status === 'blocked' ? (isWaiting ? 'waits for your approval' : 'a required line is missing: `Command: …`') : undefined
  return { summary: { ...summary, ...changes }, isWaiting, ...(reason ? { reason } : {}), kept: seed % 9 === 0 }
}

export const HOSTILE = [
  '# <script>alert("title")</script>',
  '',
  'Raw HTML stays text: <img src=x onerror="alert(1)"> and <b>bold</b>.',
  '',
  '<iframe src="https://evil.example/"></iframe>',
  '',
  'A link that runs: [click me](javascript:alert(1)), one that does not: [docs](https://example.com/a?b=c), and mail: <mailto:a@example.com>.',
  '',
  '![tracking pixel](https://evil.example/pixel.png)',
  '',
  'Direction marks: approve the file \u202Efdp.exe\u202C now. Zero width: pass\u200Bword. ANSI: \u001b[31mred\u001b[0m, bell \u0007, NUL \u0000.',
  '',
  '> quoted\n>> deeper\n>>> deepest',
  '',
  '- [x] done\n- [ ] to do',
  '',
  '| a | b |\n|---|--:|\n| `x` | 1 |\n| <svg onload=alert(1)> | 22 |',
  '',
  '```sh\ncargo test -p shop-login -- --nocapture\n```',
].join('\n')

const NOTES = `Expected: after a password change, the next request is accepted (docs/auth.md, line 41).
Actual: the next request is answered with 401 \`session_stale\`, once.
Environment: shop 4.12.1 (commit 9f31c2e), Linux.

## What I did

1. Ran the reported steps five times; it failed **five of five** times.
2. Took away the proxy, then the cache. It still fails.
3. Kept the smallest case as a test:

\`\`\`rust
#[test]
fn a_session_survives_a_password_change() {
    let shop = Shop::start();
    let session = shop.login("mara", "old");
    shop.change_password(&session, "new");
    assert!(shop.get("/account", &session).is_ok());
}
\`\`\`

| tried | fails |
|---|--:|
| with proxy | 5 of 5 |
| without proxy | 5 of 5 |
| without cache | 5 of 5 |

Command: \`cargo test -p shop-login survives\`
Open: whether the mobile client is affected too; see [the report](https://example.com/issues/4711).`

/** Shape of a run with branches, loops, refusals and waiting. */
export function shape(kind) {
  if (kind === 'large') return largeShape()
  const base = entry(1)
  const titles = [...WORKFLOWS[0][2]]
  const columns = emptyColumns()
  let at = NOW - 3 * HOUR
  let event = 2
  const add = (parent, title, options = {}) => {
    const node = columns.id.length
    at += options.pause ?? 0
    columns.id.push(id('node', 1000 + node))
    columns.parent.push(parent)
    if (options.kind === 'checkpoint') columns.bookmarks.push(node)
    columns.title.push(title)
    columns.turn.push(options.turn ?? 0)
    columns.createdAt.push(at)
    columns.blocked.push(options.refused?.length ?? 0)
    columns.openGaps.push(options.gaps ?? 0)
    if (options.fork) columns.forks.push(node)
    event += 2
    for (const length of options.refused ?? []) {
      at += length
      columns.attempts.push({ node, at, event: (event += 2), outcome: 'blocked' })
    }
    if (options.wait) {
      const to = options.wait === 'open' ? undefined : at + options.wait
      columns.waits.push({ node, from: at, ...(to ? { until: to, decision: 'approved' } : {}) })
      if (to) at = to
    }
    if (options.takes) {
      at += options.takes
      columns.attempts.push({ node, at, event: (event += 3), outcome: 'advanced' })
    }
    return node
  }
  const report = add(-1, 0, { takes: 94_000 })
  const reproduce = add(report, 1, { refused: [61_000, 33_000], takes: 47_000 })
  add(reproduce, 1, { kind: 'checkpoint' })
  let last = reproduce
  for (let turn = 1; turn <= 5; turn++) {
    last = add(last, 2, { turn, takes: 21_000 + turn * 4000, pause: turn === 3 ? 52 * MINUTE : 0 })
    last = add(last, 3, { turn, takes: 80_000 - turn * 9000, refused: turn === 2 ? [40_000] : [] })
    last = add(last, 4, { turn, takes: 9000 })
  }
  const plan = add(last, 5, { takes: 65_000, wait: 31 * MINUTE })
  const left = add(plan, 6, { takes: 140_000, refused: [30_000], gaps: 0 })
  add(left, 7, { pause: 2000 })
  const again = add(plan, 6, { fork: true, takes: 118_000, pause: 9 * MINUTE, refused: [28_000] })
  const tip = add(again, 7, { wait: 'open', refused: [42_000] })
  const run = entry(1, {
    label: 'amber-otter',
    title: GOALS[0],
    goal: `${GOALS[0]}. It began with release 4.12; support has eleven reports.`,
    workflow: { id: 'wr.bug_investigation', hash: digest(3), name: 'Investigate and fix a bug', stepTitles: titles },
    step: { stepId: 'prove', title: titles[7], number: 8, of: 8 },
    status: 'blocked',
    tip: columns.id[tip],
    nodes: columns.id.length,
    tips: 2,
    startedAt: columns.createdAt[0],
    activeAt: at,
    surroundings: { branch: 'fix/login', repoRoot: '/home/mara/shop' },
  })
  const waiting = { ...run, isWaiting: true, reason: 'waits for your approval of the proof' }
  return shown(waiting, titles, columns)
}

function emptyColumns() {
  return { id: [], parent: [], title: [], turn: [], createdAt: [], blocked: [], openGaps: [], attempts: [], waits: [], bookmarks: [], forks: [] }
}

/** The reply about a run, from columns that are easier to fill. */
function shown(run, titles, columns, more = {}) {
  const count = columns.id.length
  const left = new Set(columns.parent)
  const tipAt = columns.id.indexOf(run.summary.tip)
  const path = []
  for (let at = tipAt; at >= 0; at = columns.parent[at]) path.unshift(at)
  const counts = (list) => list.flatMap((number, node) => (number > 0 ? [{ node, count: number }] : []))
  const orNull = (list, none) => list.map((value) => (value === none ? null : value))
  const attempts = [...columns.attempts].sort((a, b) => a.at - b.at)
  return {
    run,
    sessionId: run.summary.sessionId,
    runId: run.summary.runId,
    summary: run.summary,
    kept: run.kept ?? false,
    shape: {
      steps: titles.map((_, i) => ({ stepId: `step_${i + 1}`, number: i + 1 })),
      titles,
      nodes: {
        id: columns.id,
        parent: orNull(columns.parent, -1),
        step: orNull(columns.title, -1),
        turn: orNull(columns.turn, 0),
        title: orNull(columns.title, -1),
        created: columns.createdAt,
      },
      attempts: {
        node: attempts.map((it) => it.node),
        at: attempts.map((it) => it.at),
        reached: attempts.map((it) => (it.outcome === 'blocked' ? null : Math.min(it.node + 1, count - 1))),
      },
      waits: columns.waits,
      blocked: counts(columns.blocked),
      openGaps: counts(columns.openGaps),
      bookmarks: columns.bookmarks,
      forks: columns.forks,
      tips: columns.id.flatMap((_, i) => (left.has(i) || columns.bookmarks.includes(i) ? [] : [i])),
      path,
      preferredTip: tipAt,
      unplaced: 0,
    },
    ...more,
  }
}

function largeShape() {
  const next = random(4711)
  const columns = emptyColumns()
  const titles = Array.from({ length: 40 }, (_, i) => `${['Read', 'Check', 'Change', 'Measure', 'Compare', 'Explain', 'Test', 'Note'][i % 8]} module ${i + 1}`)
  const COUNT = 10_000
  let at = NOW - 9 * 24 * HOUR
  const branchPoints = new Set()
  while (branchPoints.size < 199) branchPoints.add(200 + Math.floor(next() * (COUNT - 400)))
  let parent = -1
  let main = -1
  let left = 0
  for (let i = 0; i < COUNT; i++) {
    if (branchPoints.has(i) && left === 0) {
      main = parent
      parent = Math.max(0, i - 1 - Math.floor(next() * 120))
      left = 2 + Math.floor(next() * 24)
    } else if (left > 0 && --left === 0) parent = main
    at += Math.floor(20_000 + next() * 90_000 + (next() < 0.01 ? 5 * HOUR : 0))
    columns.id.push(id('node', 50_000 + i))
    columns.parent.push(parent)
    columns.title.push(i % 40)
    columns.turn.push(0)
    columns.createdAt.push(at)
    const refused = next() < 0.06 ? 1 + Math.floor(next() * 2) : 0
    columns.blocked.push(refused)
    columns.openGaps.push(next() < 0.004 ? 1 : 0)
    let end = at
    for (let r = 0; r < refused; r++) columns.attempts.push({ node: i, at: (end += 4000), event: 3 + i * 4, outcome: 'blocked' })
    columns.attempts.push({ node: i, at: end + 9000 + Math.floor(next() * 9000), event: 5 + i * 4, outcome: 'advanced' })
    parent = i
  }
  const tip = columns.id[main >= 0 && left > 0 ? main : COUNT - 1]
  const run = entry(2, { label: 'quiet-heron', title: 'Walk through the whole code base', goal: 'Walk through the whole code base and note what each module promises', status: 'in_progress', tip, nodes: COUNT, tips: 200, startedAt: columns.createdAt[0], activeAt: at, workflow: { id: 'team.audit', hash: digest(9), name: 'Audit', stepTitles: titles }, step: { stepId: 'audit', title: titles[39], number: 40, of: 40 }, surroundings: { branch: 'main' } })
  return shown({ ...run, isWaiting: false }, titles, columns)
}

export function damagedShape() {
  const whole = shape('small')
  const summary = { ...whole.summary, sessionId: id('sess', 999_003), runId: id('run', 999_003), label: 'dusty-raven', status: 'in_progress' }
  return {
    ...whole,
    run: { ...whole.run, isWaiting: false, reason: undefined, summary },
    sessionId: summary.sessionId,
    runId: summary.runId,
    summary,
    damage: {
      code: 'SESSION_CORRUPT',
      message: 'The session is damaged after event 31: segment 14 does not match its digest.',
      suggestion: 'Nothing before that is affected. To continue from there: piton session repair dusty-raven',
      retry: { kind: 'not_retryable' },
    },
  }
}

export function question(of, node = of.summary.tip) {
  const { summary } = of
  return {
    run: { label: summary.label, sessionId: summary.sessionId, runId: summary.runId, workflowId: summary.workflow.id, step: summary.step?.number ?? 4, of: summary.step?.of ?? 8 },
    nodeId: node,
    title: summary.step?.title ?? 'Approve the design',
    reason: 'needs_user_approval',
    words: 'The fix changes how sessions are renewed. May I merge it into main?',
    excerpt: 'Show that the change is the cause of the difference: the test fails without it and passes with it, and nothing else fails. Then ask the person before you merge.\n\nWrite a line `Command: …` with the command that shows it, and a line `Result: …` with its last line of output. Someone who never saw the report must be able to tell from your lines whether the bug is gone.',
    since: NOW - 6 * MINUTE,
  }
}

const list = (items, leftOut = 0) => ({ items, leftOut })

export function stepDetail(found, nodeId) {
  const { shape } = found
  const { nodes } = shape
  const node = Math.max(0, nodes.id.indexOf(nodeId))
  const title = shape.titles[nodes.title[node]]
  const event = 2 + node * 4
  const at = nodes.created[node]
  const isTip = shape.preferredTip === node
  const attempts = shape.attempts.node
    .flatMap((of, i) => (of === node ? [{ at: shape.attempts.at[i], reached: shape.attempts.reached[i] }] : []))
    .map((it, i) => ({
      attemptId: id('att', node * 10 + i),
      event: event + i,
      at: it.at,
      ...(it.reached === null
        ? { blockers: [{ code: 'MISSING_REQUIRED_OUTPUT', pointer: { kind: 'notes' }, message: 'The notes have no line `Command: …` that shows the failure.', suggestedFix: 'Add a line such as `Command: cargo test -p shop-login survives` with the command that you ran.' }] }
        : { reached: nodes.id[it.reached] }),
    }))
  const notes = node === 3 ? HOSTILE : NOTES
  const outputs = attempts.map((attempt, i) => ({ outputId: id('out', node * 20 + i), event: attempt.event + 2, at: attempt.at, attempt: attempt.event, superseded: i < attempts.length - 1, notes: i < attempts.length - 1 ? 'It fails sometimes.' : notes }))
  if (outputs.length > 0) outputs.push({ outputId: id('out', node + 500), event: event + 3, at: attempts.at(-1).at, superseded: false, artifact: { outputId: id('out', node + 500), digest: digest(node + 9), bytes: 214, kind: 'wr.contracts.hypothesis', content: { kind: 'wr.contracts.hypothesis', claim: 'The cookie is written before the hash is replaced', confidence: 0.7, evidence: ['src/login/session.rs:118', 'log line 44'] } } })
  return {
    sessionId: found.sessionId,
    runId: found.runId,
    label: found.summary.label,
    workflowId: found.summary.workflow.id,
    nodeId: nodes.id[node],
    kind: 'step',
    event,
    createdAt: at,
    isFork: shape.forks.includes(node),
    isPreferredTip: isTip,
    ...(nodes.step[node] === null ? {} : { step: { stepId: shape.steps[nodes.step[node]].stepId, title, number: nodes.step[node] + 1, of: shape.titles.length } }),
    ...(nodes.turn[node] ? { turn: nodes.turn[node] } : {}),
    prompt: [
      { origin: 'authored', text: `${title}\n\nGoal: make the failure happen at will, with as little as possible.\n\nDo not change the code under test.\n\n1. Run the reported steps as they are, several times, and count how often it fails.\n2. Take away data, configuration and steps, one at a time, as long as it still fails.\n3. Keep the smallest case as a command or a test that anyone can run.\n` },
      { origin: 'feature', name: 'wr.features.notes_discipline', text: 'Write notes for a reader who was not there: what you did, what you saw, what is still open. No praise and no plans.\n' },
      { origin: 'authored', text: 'Leave a line `Command: …` that shows the failure.\n' },
      { origin: 'opening', text: 'Known so far: the report is reproducible on 4.12.1; the cause is open.\n' },
    ],
    promptBytesLeftOut: 0,
    preferences: { autonomy: 'full_auto_stop_on_user_deps', riskPolicy: 'balanced' },
    access: { workspaces: { '/shop': 'read-only', '/shop-changes': 'read-write' } },
    attempts: list(attempts),
    outputs: list(outputs),
    decisions: list(nodes.title[node] === 5 ? [{ decision: 'approved', by: 'mara', event: 80, at: at + 31 * MINUTE, text: 'Fine, but keep the old cookie name.' }] : []),
    gaps: list(attempts.some((it) => !it.reached) ? [{ gap: { gapId: id('gap', node), severity: 'warning', reason: { category: 'contract_violation', detail: 'missing_required_output' }, summary: 'No command was left that shows the failure.', resolution: { kind: 'unresolved' } }, event: event + 2, at, isOpen: false }] : []),
    trace: {
      collapsed: true,
      traces: list([{ event: event + 1, entries: [
        { kind: 'selected_next_step', summary: 'The step `reproduce` is next: it follows `report` and has no condition.' },
        { kind: 'evaluated_condition', summary: 'The loop `hypotheses` goes on: the last decision was `continue`, and 2 of 6 turns were used.' },
        { kind: 'detected_non_tip_advance', summary: 'The run continued from a step that it had left before.' },
      ] }]),
    },
    divergences: list([]),
    capabilities: [{ capability: 'delegation', enforced: 'available', shown: 'available' }, { capability: 'web_browsing', enforced: 'unavailable', shown: 'unknown' }],
    context: list([{ key: 'goal', value: found.summary.goal }, { key: 'reporter', value: 'support#4711' }, { key: 'loop', value: { hypotheses: { turn: nodes.turn[node], of: 6 } } }]),
    children: list([]),
  }
}

export function stepWrites(nodeId) {
  return {
    nodeId,
    written: {
      keys: [{ backpack: 'investigation', key: 'hypothesis/2', kind: 'modified', by: 'agent', leftOut: 0, diff: [{ sign: 'removed', text: '"the cache holds the old hash"' }, { sign: 'added', text: '"the cookie is written before the hash"' }] }],
      keysLeftOut: 0,
      files: [{ path: '/shop-changes/src/login/session.rs', kind: 'modified', by: 'agent', leftOut: 0, before: digest(1), after: digest(2), diff: DIFF }],
      filesLeftOut: 0,
      frames: [{ path: 'src/login', frameType: 'summary', kind: 'added', by: 'agent', after: digest(4), leftOut: 0 }],
      framesLeftOut: 0,
    },
  }
}

export const DIFF = [
  { sign: 'gap', text: '@@ -112,9 +112,11 @@' },
  { sign: 'same', text: '    pub fn change_password(&self, session: &Session, password: &str) -> Result<(), Error> {' },
  { sign: 'same', text: '        let hash = hash(password);' },
  { sign: 'removed', text: '        self.cookies.renew(session)?;' },
  { sign: 'removed', text: '        self.users.replace_hash(session.user, &hash)?;' },
  { sign: 'added', text: '        self.users.replace_hash(session.user, &hash)?;' },
  { sign: 'added', text: '        // The cookie names the hash, so it is renewed only after the hash is durable.' },
  { sign: 'added', text: '        self.cookies.renew(session)?;' },
  { sign: 'same', text: '        Ok(())' },
  { sign: 'same', text: '    }' },
]

export { NOTES, WORKFLOWS, GOALS, MINUTE, HOUR }
