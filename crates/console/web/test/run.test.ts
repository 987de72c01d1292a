import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ShapedRun, StepDetail } from '../src/api/replies'
import { rowOfNode, rowsOf } from '../src/view/rows'
import { branchesOf, commonAncestor, detailAt, fateOf, isAbove, isTroubled, momentsOf, notesOf, readRun, stateOf, wordOf } from '../src/view/run'
import { linesBetween, rowsOfLines, rowsOfUnified } from '../src/view/diff'
import { EventReader, backoff } from '../src/api/events'
// @ts-expect-error the fixtures have no types
import { shape as fixture } from './fixtures.mjs'

const small = fixture('small') as ShapedRun
const large = fixture('large') as ShapedRun

const runs = fc
  .array(fc.record({ at: fc.nat(), kind: fc.nat(9), turn: fc.nat(3), refused: fc.boolean(), probe: fc.boolean() }), { minLength: 1, maxLength: 120 })
  .map((nodes): ShapedRun => {
    const parent = nodes.map((node, i) => (i === 0 ? null : node.kind < 7 ? i - 1 : node.at % i))
    const left = new Set(parent)
    const leaves = nodes.flatMap((node, i) => (i > 0 && !left.has(i) && node.refused ? [i] : []))
    const created = nodes.map((_, i) => 1000 + i * 10)
    return {
      ...small,
      summary: { ...small.summary!, activeAt: 1000 + nodes.length * 10 },
      shape: {
        ...small.shape,
        titles: ['a'],
        steps: [{ stepId: 'work', number: 1 }, { stepId: 'probe', number: 2, collapsed: true }],
        nodes: {
          id: nodes.map((_, i) => `node_${i}`),
          parent,
          step: nodes.map((node) => (node.probe ? 1 : 0)),
          turn: nodes.map((node) => node.turn || null),
          title: nodes.map(() => 0),
          created,
        },
        attempts: {
          node: nodes.map((_, i) => i),
          at: created.map((at) => at + 5),
          reached: nodes.map((node, i) => (node.refused ? null : i)),
        },
        waits: [], blocked: [], openGaps: [], forks: [],
        bookmarks: leaves,
        preferredTip: parent.findLastIndex((_, i) => !leaves.includes(i)),
      },
    }
  })

test('every node is in one row, or folded into one', () => {
  fc.assert(
    fc.property(runs, (shown) => {
      const model = readRun(shown)
      const closed = rowsOf(model, { onlyTrouble: false, toggled: new Set() })
      const keys = closed.flatMap((row) => (row.kind === 'branch' && !row.isOpen ? [row.key] : []))
      const rows = rowsOf(model, { onlyTrouble: false, toggled: new Set(keys) })
      const seen = rows.flatMap((row) => (row.kind === 'node' ? [row.node] : row.kind === 'fold' ? row.nodes : []))
      expect(seen.sort((a, b) => a - b)).toEqual(shown.shape.nodes.id.map((_, i) => i))
    }),
  )
})

// shows in part: WR-514 (the probes)
test('probes that Piton added are folded until somebody opens them or the run is at one', () => {
  const shape = {
    ...small.shape,
    steps: small.shape.steps.map((step, i) => ({ ...step, collapsed: i === 0 })),
  }
  const model = readRun({ ...small, shape })
  const isProbe = (node: number) => shape.nodes.step[node] === 0 && node !== model.tip
  const shown = (toggled: string[]) => rowsOf(model, { onlyTrouble: false, toggled: new Set(toggled) })
  const probes = (toggled: string[]) => shown(toggled).flatMap((row) => (row.kind === 'node' && isProbe(row.node) ? [row.node] : []))
  const folds = shown([]).flatMap((row) => (row.kind === 'fold' && row.turn === 0 ? [row.key] : []))
  expect(folds.length).toBeGreaterThan(0)
  expect(probes([])).toEqual([])
  expect(probes(folds).length).toBeGreaterThan(0)
})

test('a moment is a prefix: no node, attempt or wait of later is in it', () => {
  fc.assert(
    fc.property(runs, fc.nat(1500), (shown, at) => {
      const time = 1000 + at
      const model = readRun(shown, time)
      for (let i = 1; i < model.count; i++) expect(shown.shape.nodes.created[i]).toBeLessThanOrEqual(time)
      for (const bars of model.attempts.values()) for (const bar of bars) expect(bar.to).toBeLessThanOrEqual(time)
      expect(model.tip).toBeLessThan(model.count)
    }),
  )
})

test('moments are in order and reach the end', () => {
  const moments = momentsOf(small.shape)
  expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b))
  expect(readRun(small, moments.at(-1)).count).toBe(small.shape.nodes.id.length)
})

test('states follow from what was recorded', () => {
  const model = readRun(small)
  expect(stateOf(model, model.tip)).toBe('waiting')
  expect(stateOf(model, 0)).toBe('complete')
  const left = small.shape.tips.find((tip) => tip !== model.tip)!
  expect(stateOf(model, left)).toBe('left')
  expect(model.blocked[1]).toBe(2)
})

/** A step that was left twice: its first way leads to node 1, its second to node 2, where the run is. */
const forkedAt = (preferredTip: number): ShapedRun => ({
  ...small,
  shape: {
    ...small.shape,
    titles: ['a'],
    nodes: { id: ['root', 'one', 'two'], parent: [null, 0, 0], step: [0, 0, 0], turn: [null, null, null], title: [0, 0, 0], created: [1000, 2000, 900_000] },
    attempts: { node: [0, 0, 0], at: [2000, 800_000, 900_000], reached: [1, null, 2] },
    waits: [], blocked: [], openGaps: [], forks: [2], bookmarks: [], tips: [1, 2],
    preferredTip,
  },
})

test('the time until somebody comes back to a node is no time of an attempt', () => {
  const bars = readRun(forkedAt(2)).attempts.get(0)!
  expect(bars.map(({ from, to }) => to - from)).toEqual([1000, 0, 100_000])
  expect(readRun(forkedAt(2)).end[0]).toBe(2000)
})

test('branches are counted at the moment that is shown', () => {
  expect(branchesOf(readRun(forkedAt(2)))).toBe(2)
  expect(branchesOf(readRun(forkedAt(2), 2000))).toBe(1)
  expect(branchesOf(readRun({ ...small, shape: { ...forkedAt(1).shape, bookmarks: [2], forks: [], tips: [1] } }))).toBe(1)
})

/** A run whose second step asked a person, and what became of it. */
const askedAt = (wait: Partial<ShapedRun['shape']['waits'][number]>): ShapedRun => ({
  ...small,
  shape: {
    ...small.shape,
    titles: ['a'],
    nodes: { id: ['root', 'one'], parent: [null, 0], step: [0, 0], turn: [null, null], title: [0, 0], created: [1000, 2000] },
    attempts: { node: [0, 1], at: [2000, 3000], reached: [1, null], asked: [1] },
    waits: [{ node: 1, from: 3000, ...wait }],
    blocked: [], openGaps: [], forks: [], bookmarks: [], tips: [1],
    preferredTip: 1,
  },
})

test('who only asked a person was not refused, and waits for the agent once it is decided', () => {
  const check = (wait: Partial<ShapedRun['shape']['waits'][number]>, state: string, word: string) => {
    const model = readRun(askedAt(wait))
    expect([stateOf(model, 1), wordOf(model, 1)]).toEqual([state, word])
    expect(model.attempts.get(1)![0]).toMatchObject({ isAsked: true, isBlocked: false })
    expect(isTroubled(model, 1)).toBe(false)
  }
  check({}, 'waiting', 'Waits for you')
  check({ until: 4000, decision: 'approved' }, 'decided', 'Approved, waits for the agent')
  check({ until: 4000, decision: 'refused' }, 'decided', 'Refused, waits for the agent')
  check({ until: 4000 }, 'progress', 'In progress')
})

test('what counts at a step is what the branch of the run came from', () => {
  const output = (event: number, attempt: number, notes: string, superseded: boolean) => ({ event, attempt, notes, superseded, at: event, outputId: `out_${event}` })
  const attempt = (event: number, reached?: string) => ({ event, at: event, attemptId: `att_${event}`, ...(reached ? { reached } : {}) })
  const detail = {
    outputs: { items: [output(11, 10, 'the cup', true), output(21, 20, 'refused', true), output(31, 30, 'the kettle', false)], leftOut: 0 },
    attempts: { items: [attempt(10, 'one'), attempt(20), attempt(30, 'two')], leftOut: 0 },
    decisions: { items: [], leftOut: 0 },
    divergences: { items: [], leftOut: 0 },
    gaps: { items: [
      { at: 21, event: 21, isOpen: false, resolvedBy: 'gap_2', gap: { gapId: 'gap_1' } },
      { at: 31, event: 31, isOpen: false, gap: { gapId: 'gap_2' } },
    ], leftOut: 0 },
  } as unknown as StepDetail
  for (const [tip, notes, fates] of [
    [1, 'the cup', [undefined, 'superseded', 'another branch']],
    [2, 'the kettle', ['another branch', 'superseded', undefined]],
  ] as const) {
    const model = readRun(forkedAt(tip))
    expect(notesOf(model, detail)).toBe(notes)
    expect(detail.outputs.items.map((output) => fateOf(model, detail, output))).toEqual(fates)
  }
  // At an earlier time nothing had taken the place of what was there, and nothing had resolved a gap.
  const earlier = detailAt(detail, 25)
  expect(earlier.outputs.items.map((output) => output.superseded)).toEqual([true, false])
  expect(earlier.gaps.items.map((gap) => gap.isOpen)).toEqual([true])
  expect(detailAt(detail, 40).gaps.items.map((gap) => gap.isOpen)).toEqual([false, false])
})

test('the common ancestor of two branches is where they part', () => {
  const model = readRun(small)
  const [one, other] = small.shape.tips as [number, number]
  const at = commonAncestor(model, one, other)
  expect(small.shape.titles[small.shape.nodes.title[at]!]).toBe('Plan the fix')
})

test('only trouble shows refused steps and where the run is', () => {
  const model = readRun(small)
  const rows = rowsOf(model, { onlyTrouble: true, toggled: new Set() })
  const nodes = rows.flatMap((row) => (row.kind === 'node' ? [row.node] : []))
  expect(nodes.every((node) => model.blocked[node]! > 0 || node === model.tip)).toBe(true)
  expect(rowOfNode(rows, model.tip)).toBeGreaterThanOrEqual(0)
})

test('a run of ten thousand nodes is put into rows', () => {
  const rows = rowsOf(readRun(large), { onlyTrouble: false, toggled: new Set() })
  expect(rows.length).toBeGreaterThan(7000)
})

test('a unified diff keeps its numbers and marks what changed in a line', () => {
  const rows = rowsOfUnified('--- a\n+++ b\n@@ -3,2 +3,2 @@\n same\n-let a = 1;\n+let a = 2;\n')
  expect(rows).toEqual([
    { sign: 'gap', text: '@@ -3,2 +3,2 @@' },
    { sign: 'same', text: 'same', left: 3, right: 3 },
    { sign: 'removed', text: 'let a = 1;', left: 4, mark: [8, 9] },
    { sign: 'added', text: 'let a = 2;', right: 4, mark: [8, 9] },
  ])
})

test('two texts differ between what they have in common', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = linesBetween(before, after)
      const side = (sign: string) => lines.filter((line) => line.sign === 'same' || line.sign === sign).map((line) => line.text)
      expect(side('removed').join('\n')).toBe(before)
      expect(side('added').join('\n')).toBe(after)
    }),
  )
})

test('lines behind a gap have no numbers', () => {
  const rows = rowsOfLines([{ sign: 'same', text: 'a' }, { sign: 'gap', text: '…' }, { sign: 'added', text: 'b' }])
  expect(rows.map((row) => row.right)).toEqual([1, undefined, undefined])
})

test('events are the same however the stream is cut', () => {
  const text = ': hello\n\nid: p-1\nevent: change\ndata: {"scope":"run"}\n\nid: p-2\ndata: a\ndata: b\r\n\r\nevent: reset\ndata:\n\n'
  const whole = new EventReader().push(text)
  expect(whole).toEqual([
    { id: 'p-1', event: 'change', data: '{"scope":"run"}' },
    { id: 'p-2', event: 'message', data: 'a\nb' },
    { id: 'p-2', event: 'reset', data: '' },
  ])
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const reader = new EventReader()
      const places = [0, ...cuts.sort((a, b) => a - b), text.length]
      const found = places.slice(1).flatMap((to, i) => reader.push(text.slice(places[i], to)))
      expect(found).toEqual(whole)
    }),
  )
})

test('tries become rarer, up to fifteen seconds', () => {
  expect(backoff(0, 0)).toBe(250)
  expect(backoff(3, 1)).toBe(4000)
  expect(backoff(400, 1)).toBe(15_000)
})

test('a node is above exactly the nodes that descend from it', () => {
  fc.assert(
    fc.property(runs, (shown) => {
      const model = readRun(shown)
      for (let below = 0; below < model.count; below++) {
        const way = new Set<number>()
        for (let node = below; node >= 0; node = model.parent[node]!) way.add(node)
        for (let node = 0; node < model.count; node++) expect(isAbove(model, node, below)).toBe(way.has(node))
      }
    }),
    { numRuns: 40 },
  )
})
