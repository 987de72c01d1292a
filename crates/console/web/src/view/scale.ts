/**
 * A time scale that folds idle time. A run waits for hours and works for seconds; drawn to scale, one would see nothing
 * but waiting.
 *
 * Invariant: `x` never decreases, and stays within 0 and the width for times within the scale.
 */

export interface Span {
  from: number
  to: number
}

export interface Fold extends Span {
  x: number
  width: number
}

export interface TimeScale extends Span {
  width: number
  folds: Fold[]
  x(time: number): number
  time(x: number): number
  ticks(spacing: number): number[]
}

/** Width of a folded gap in pixels: enough for its mark. */
export const FOLD_WIDTH = 16
/** A gap folds only if it takes more than this share of what is shown: small gaps tell the rhythm of a run. */
const FOLD_SHARE = 0.12

/** Merges spans that touch or overlap, in the order of time. */
export function merge(spans: readonly Span[]): Span[] {
  const sorted = spans.filter((span) => span.to >= span.from).sort((a, b) => a.from - b.from)
  const merged: Span[] = []
  for (const span of sorted) {
    const last = merged[merged.length - 1]
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else merged.push({ ...span })
  }
  return merged
}

/** Builds a scale over spans of activity. */
export function scaleOver(spans: readonly Span[], width: number): TimeScale {
  const active = merge(spans)
  const from = active[0]?.from ?? 0
  const to = Math.max(active[active.length - 1]?.to ?? 1, from + 1)
  const folds = chooseFolds(active, from, to, width)
  // Pieces alternate between time to scale and folds; each knows where it begins in both directions.
  const shown = to - from - folds.reduce((sum, fold) => sum + (fold.to - fold.from), 0)
  const perMs = Math.max(0, width - folds.length * FOLD_WIDTH) / Math.max(1, shown)
  const pieces: { from: number; to: number; x: number; perMs: number }[] = []
  let time = from
  let x = 0
  for (const fold of folds) {
    pieces.push({ from: time, to: fold.from, x, perMs })
    x += (fold.from - time) * perMs
    fold.x = x
    pieces.push({ from: fold.from, to: fold.to, x, perMs: FOLD_WIDTH / (fold.to - fold.from) })
    x += FOLD_WIDTH
    time = fold.to
  }
  pieces.push({ from: time, to, x, perMs })

  const pieceAt = (matches: (piece: (typeof pieces)[number]) => boolean) => {
    let low = 0
    let high = pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (matches(pieces[middle]!)) low = middle
      else high = middle - 1
    }
    return pieces[low]!
  }
  const xOf = (at: number) => {
    const within = Math.min(Math.max(at, from), to)
    const piece = pieceAt((candidate) => candidate.from <= within)
    return Math.min(width, piece.x + (within - piece.from) * piece.perMs)
  }
  const timeOf = (at: number) => {
    const within = Math.min(Math.max(at, 0), width)
    const piece = pieceAt((candidate) => candidate.x <= within)
    return piece.perMs === 0 ? piece.from : Math.min(to, piece.from + (within - piece.x) / piece.perMs)
  }
  const ticks = (spacing: number) => {
    const step = tickStep((shown / Math.max(1, width)) * spacing)
    const found: number[] = []
    let lastX = -Infinity
    for (const piece of pieces) {
      if (folds.some((fold) => fold.from === piece.from)) continue
      for (let at = Math.ceil(piece.from / step) * step; at <= piece.to; at += step) {
        const place = xOf(at)
        if (place - lastX < spacing * 0.75) continue
        found.push(at)
        lastX = place
      }
    }
    return found
  }
  return { from, to, width, folds, x: xOf, time: timeOf, ticks }
}

function chooseFolds(active: Span[], from: number, to: number, width: number): Fold[] {
  const gaps: Fold[] = []
  for (let i = 1; i < active.length; i++) {
    gaps.push({ from: active[i - 1]!.to, to: active[i]!.from, x: 0, width: FOLD_WIDTH })
  }
  gaps.sort((a, b) => b.to - b.from - (a.to - a.from))
  const most = Math.floor(width / (FOLD_WIDTH * 6))
  const chosen: Fold[] = []
  let left = to - from
  // The longest first: once it is folded, the next may have become large beside what is left.
  for (const gap of gaps) {
    const length = gap.to - gap.from
    if (chosen.length >= most || length < left * FOLD_SHARE || length <= 0) break
    chosen.push(gap)
    left -= length
  }
  return chosen.sort((a, b) => a.from - b.from)
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY,
]

function tickStep(atLeast: number): number {
  return STEPS.find((step) => step >= atLeast) ?? Math.ceil(atLeast / (30 * DAY)) * 30 * DAY
}
