/**
 * The query line of runs. The server parses it, says what is wrong with it and completes it; here it is only split into
 * words, so that it can be coloured and edited by facets.
 */
import type { Completion, QueryProblem } from '../api/replies'

export interface Word {
  from: number
  to: number
  text: string
}

export interface Segment {
  text: string
  kind: QueryTerm['kind'] | 'space'
  message?: string
}

/** A word of the line, or what is wrong with it. Positions count UTF-16 units. */
export interface QueryTerm {
  from: number
  to: number
  kind: 'field' | 'text' | 'problem'
  message?: string
}

/** Splits the line at white space outside of double quotes. */
export function words(line: string): Word[] {
  const found: Word[] = []
  for (const match of line.matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    found.push({ from: match.index, to: match.index + match[0].length, text: match[0] })
  }
  return found
}

/** Cuts the line into segments by the server's terms. The segments joined are the line, whatever the terms say. */
export function segments(line: string, terms: readonly QueryTerm[]): Segment[] {
  const found: Segment[] = []
  let end = 0
  for (const term of [...terms].sort((a, b) => a.from - b.from)) {
    const from = Math.max(end, Math.min(term.from, line.length))
    const to = Math.max(from, Math.min(term.to, line.length))
    if (from > end) found.push({ text: line.slice(end, from), kind: 'space' })
    if (to > from) {
      const segment: Segment = { text: line.slice(from, to), kind: term.kind }
      if (term.message !== undefined) segment.message = term.message
      found.push(segment)
    }
    end = to
  }
  if (end < line.length) found.push({ text: line.slice(end), kind: 'space' })
  return found
}

const OPERATOR = /^([a-z_]+)(:|<=|>=|<|>|=)(.*)$/i

function quoted(value: string): string {
  return /[\s",*]/.test(value) ? `"${value.replaceAll('"', '')}"` : value
}

function bare(value: string): string {
  return value.replaceAll('"', '')
}

/** True if the line has the term `field:value`. */
export function hasTerm(line: string, field: string, value: string): boolean {
  return words(line).some((word) => isTerm(word.text, field, value))
}

function isTerm(text: string, field: string, value: string): boolean {
  return valuesOf(text, field)?.some((listed) => bare(listed) === value) ?? false
}

/** Returns the values that a term lists for a field, as they are written. */
function valuesOf(text: string, field: string): string[] | undefined {
  const match = OPERATOR.exec(text)
  if (!match || match[1] !== field || match[2] !== ':') return undefined
  return match[3]!.match(/(?:"[^"]*"?|[^,"])+/g) ?? []
}

/** Adds a value to those of its field, or takes it away if it is there. A run has one value, so any of them will do. */
export function toggleTerm(line: string, field: string, value: string): string {
  const all = words(line).map((word) => word.text)
  const isOn = hasTerm(line, field, value)
  const at = all.findIndex((text) => (isOn ? isTerm(text, field, value) : valuesOf(text, field) !== undefined))
  if (at < 0) return [...all, `${field}:${quoted(value)}`].join(' ')
  const values = valuesOf(all[at]!, field)!
  const next = isOn ? values.filter((listed) => bare(listed) !== value) : [...values, quoted(value)]
  all.splice(at, 1, ...(next.length > 0 ? [`${field}:${next.join(',')}`] : []))
  return all.join(' ')
}

/** Returns the UTF-16 position of a character. */
const unitsBefore = (line: string, characters: number) => [...line].slice(0, characters).join('').length

/** Returns the number of characters before a UTF-16 position, as the server counts. */
export const charactersBefore = (line: string, units: number) => [...line.slice(0, units)].length

/** Returns what is wrong with the line, and its other words. */
export function termsOf(line: string, problems: readonly QueryProblem[]): QueryTerm[] {
  const wrong = problems.map(({ start, end, message }): QueryTerm => ({
    from: unitsBefore(line, start),
    to: unitsBefore(line, end),
    kind: 'problem',
    message,
  }))
  const right = words(line)
    .filter((word) => !wrong.some((term) => term.from < word.to && word.from < term.to))
    .map(({ from, to, text }): QueryTerm => ({ from, to, kind: OPERATOR.test(text) ? 'field' : 'text' }))
  return [...wrong, ...right]
}

/** Applies a completion; returns the line and where the caret goes. */
export function complete(line: string, completion: Completion): { line: string; caret: number } {
  const before = line.slice(0, unitsBefore(line, completion.start)) + completion.text
  return { line: before + line.slice(unitsBefore(line, completion.end)), caret: before.length }
}
