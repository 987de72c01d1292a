import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOut } from '../src/view/lanes'

/** Random trees: each node names an earlier one, or none. */
const trees = fc
  .array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 200 })
  .map((nodes) => nodes.map(([at, kind], i) => (i === 0 ? -1 : kind < 6 ? i - 1 : at % i)))

test('no two nodes meet', () => {
  fc.assert(
    fc.property(trees, (parent) => {
      const { depth, lane } = layOut(parent)
      const places = new Set(parent.map((_, i) => `${depth[i]}:${lane[i]}`))
      expect(places.size).toBe(parent.length)
    }),
    { numRuns: 1200 },
  )
})

test('a child stands one column behind its parent, and one child continues the lane', () => {
  fc.assert(
    fc.property(trees, (parent) => {
      const { depth, lane, heir } = layOut(parent)
      const heirs = parent.map((up, i) => up < 0 || heir[up] !== i || lane[up] === lane[i])
      expect(heirs.every(Boolean)).toBe(true)
      expect(parent.every((up, i) => depth[i] === (up < 0 ? 0 : depth[up]! + 1))).toBe(true)
    }),
  )
})

test('the branch that reaches deepest keeps the lane', () => {
  //  0 - 1 - 2 - 3
  //   \- 4
  const { lane } = layOut([-1, 0, 1, 2, 0])
  expect([...lane]).toEqual([0, 0, 0, 0, 1])
  //  0 - 1, then a longer one from 0
  expect([...layOut([-1, 0, 0, 2, 3]).lane]).toEqual([0, 1, 0, 0, 0])
})

test('a lane is taken again once its branch has ended', () => {
  // Two short branches, one after the other, share lane 1.
  const { lane, lanes } = layOut([-1, 0, 1, 2, 3, 4, 0, 3])
  expect(lanes).toBe(2)
  expect(lane[6]).toBe(1)
  expect(lane[7]).toBe(1)
})

test('ten thousand nodes take a few milliseconds, also as a star', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => (i % 50 === 0 && i > 0 ? i - 37 : i - 1))
  const star = Array.from({ length: 10_000 }, (_, i) => (i === 0 ? -1 : 0))
  for (const tree of [chain, star]) {
    layOut(tree)
    const before = performance.now()
    layOut(tree)
    // Ten times what it takes on a busy machine: this catches a square, not a slow day.
    expect(performance.now() - before).toBeLessThan(40)
  }
})
