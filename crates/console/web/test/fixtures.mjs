/** Runs with the fields of the runtime's replies, made from a seed. */

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

