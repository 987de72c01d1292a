/** Differences as numbered rows, from the runtime's lines or from unified text. */
import type { DiffLine, DiffSign } from '../api/replies'

export interface DiffRow {
  sign: DiffSign
  text: string
  /** Line number on the left, where known. */
  left?: number
  right?: number
  /** The part that differs from the row that it replaces or is replaced by. */
  mark?: [number, number]
}

/** Returns two texts as a diff: what they begin and end with in common, and between that the one and then the other. */
export function linesBetween(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const line = (sign: DiffSign) => (text: string) => ({ sign, text })
  return [
    ...a.slice(0, start).map(line('same')),
    ...a.slice(start, a.length - end).map(line('removed')),
    ...b.slice(start, b.length - end).map(line('added')),
    ...a.slice(a.length - end).map(line('same')),
  ]
}

/** Numbers the lines of a diff. Behind a gap of unknown length there are no numbers. */
export function rowsOfLines(lines: readonly DiffLine[]): DiffRow[] {
  let isKnown = lines[0]?.sign !== 'gap'
  let left = 0
  let right = 0
  const rows = lines.map((line): DiffRow => {
    if (line.sign === 'gap') {
      isKnown = false
      return { sign: 'gap', text: line.text }
    }
    if (line.sign !== 'added') left++
    if (line.sign !== 'removed') right++
    const row: DiffRow = { sign: line.sign, text: line.text }
    if (isKnown && line.sign !== 'added') row.left = left
    if (isKnown && line.sign !== 'removed') row.right = right
    return row
  })
  return markPairs(rows)
}

/** Reads a unified diff. Lines that are none are kept as gaps, so nothing disappears. */
export function rowsOfUnified(text: string): DiffRow[] {
  let left = 0
  let right = 0
  let isInside = false
  const rows: DiffRow[] = []
  const lines = text.split('\n')
  if (lines[lines.length - 1] === '') lines.pop()
  for (const line of lines) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line)
    if (hunk) {
      left = Number(hunk[1])
      right = Number(hunk[2])
      isInside = true
      rows.push({ sign: 'gap', text: line })
    } else if (!isInside && /^(---|\+\+\+|diff |index )/.test(line)) {
      continue
    } else if (line.startsWith('+')) rows.push({ sign: 'added', text: line.slice(1), right: right++ })
    else if (line.startsWith('-')) rows.push({ sign: 'removed', text: line.slice(1), left: left++ })
    else if (line.startsWith(' ') || line === '') {
      rows.push({ sign: 'same', text: line.slice(1), left: left++, right: right++ })
    } else rows.push({ sign: 'gap', text: line })
  }
  return markPairs(rows)
}

/** Marks, in runs of removed and then as many added rows, what differs within a line. */
function markPairs(rows: DiffRow[]): DiffRow[] {
  for (let at = 0; at < rows.length; ) {
    let removed = at
    while (rows[removed]?.sign === 'removed') removed++
    let added = removed
    while (rows[added]?.sign === 'added') added++
    if (removed > at && removed - at === added - removed) {
      for (let i = 0; i < removed - at; i++) markPair(rows[at + i]!, rows[removed + i]!)
    }
    at = Math.max(added, at + 1)
  }
  return rows
}

function markPair(before: DiffRow, after: DiffRow): void {
  const a = before.text
  const b = after.text
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  // If hardly anything is common, marking everything helps nobody.
  if ((start + end) * 3 < shorter) return
  before.mark = [start, a.length - end]
  after.mark = [start, b.length - end]
}
