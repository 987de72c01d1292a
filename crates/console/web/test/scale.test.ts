import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merge, scaleOver } from '../src/view/scale'
import { age, count, duration, size } from '../src/view/time'
import { rowsInView, scrollToRow } from '../src/view/window'

const spans = fc.array(
  fc.tuple(fc.nat(1e9), fc.nat(1e6)).map(([from, length]) => ({ from, to: from + length })),
  { minLength: 1, maxLength: 60 },
)

test('a scale never decreases and stays within its width', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 40, max: 2000 }), (active, width) => {
      const scale = scaleOver(active, width)
      const times = active.flatMap((span) => [span.from, span.to]).sort((a, b) => a - b)
      let last = 0
      for (const time of times) {
        const x = scale.x(time)
        expect(x).toBeGreaterThanOrEqual(last - 1e-6)
        expect(x).toBeLessThanOrEqual(width + 1e-6)
        last = x
      }
    }),
  )
})

test('a place leads back to its time', () => {
  fc.assert(
    fc.property(spans, fc.double({ min: 0, max: 1, noNaN: true }), (active, share) => {
      const scale = scaleOver(active, 800)
      const x = share * 800
      expect(Math.abs(scale.x(scale.time(x)) - x)).toBeLessThan(0.5)
    }),
  )
})

test('an idle night is folded, and a short pause is not', () => {
  const minute = 60_000
  const night = scaleOver([{ from: 0, to: 10 * minute }, { from: 600 * minute, to: 612 * minute }], 800)
  expect(night.folds).toHaveLength(1)
  expect(night.x(10 * minute)).toBeGreaterThan(300)
  const pause = scaleOver([{ from: 0, to: 10 * minute }, { from: 11 * minute, to: 20 * minute }], 800)
  expect(pause.folds).toHaveLength(0)
})

test('spans are merged where they touch', () => {
  expect(merge([{ from: 5, to: 9 }, { from: 1, to: 5 }, { from: 20, to: 21 }])).toEqual([
    { from: 1, to: 9 },
    { from: 20, to: 21 },
  ])
})

test.each([
  [0, '0 ms'], [999, '999 ms'], [1000, '1.0 s'], [9949, '9.9 s'], [9951, '10 s'], [59_600, '1 min'],
  [61_000, '1 min 1 s'], [3_600_000, '1 h'], [7_500_000, '2 h 5 min'], [90_000_000, '1 d 1 h'], [400_000_000, '4 d'],
])('%d ms read %s', (ms, text) => expect(duration(ms)).toBe(text))

test('ages, sizes and counts have units', () => {
  expect(age(0, 3000)).toBe('now')
  expect(age(0, 59_000)).toBe('59 s')
  expect(age(0, 3_599_000)).toBe('59 min')
  expect(age(10, 0)).toBe('now')
  expect(size(999)).toBe('999 B')
  expect(size(4100)).toBe('4.1 kB')
  expect(size(999_999)).toBe('1.0 MB')
  expect(count(1_234_567)).toBe('1,234,567')
})

test('rows in view are within the list and cover what is seen', () => {
  fc.assert(
    fc.property(fc.nat(1e7), fc.nat(2000), fc.nat(1e5), (top, height, total) => {
      const { from, to, offset } = rowsInView(top, height, 24, total)
      expect(from).toBeGreaterThanOrEqual(0)
      expect(to).toBeLessThanOrEqual(total)
      expect(from).toBeLessThanOrEqual(to)
      expect(offset).toBe(from * 24)
      const middle = Math.floor((top + height / 2) / 24)
      if (middle < total) expect(from <= middle && middle < to).toBe(true)
    }),
  )
})

test('scrolling to a row moves as little as possible', () => {
  expect(scrollToRow(5, 0, 480, 24)).toBe(0)
  expect(scrollToRow(30, 0, 480, 24)).toBe(264)
  expect(scrollToRow(2, 240, 480, 24)).toBe(48)
})
