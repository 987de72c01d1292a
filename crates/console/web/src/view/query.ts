/**
 * The query line of runs. The server parses it and returns positions; here it is only split into words, so that it can
 * be coloured, completed and edited by facets.
 */
import type { QueryField, QueryTerm } from '../api/replies'

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

export interface Completion {
  /** The part of the line that is replaced. */
  from: number
  to: number
  insert: string
  label: string
  meaning: string
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
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value
}

function bare(value: string): string {
  return value.replaceAll('"', '')
}

/** True if the line has the term `field:value`. */
export function hasTerm(line: string, field: string, value: string): boolean {
  return words(line).some((word) => isTerm(word.text, field, value))
}

function isTerm(text: string, field: string, value: string): boolean {
  const match = OPERATOR.exec(text)
  return match !== null && match[1] === field && match[2] === ':' && bare(match[3]!) === value
}

/** Adds the term `field:value`, or takes it away if it is there. */
export function toggleTerm(line: string, field: string, value: string): string {
  const all = words(line)
  const kept = all.filter((word) => !isTerm(word.text, field, value))
  if (kept.length === all.length) return [...all.map((word) => word.text), `${field}:${quoted(value)}`].join(' ')
  return kept.map((word) => word.text).join(' ')
}

/** Proposes what may stand at the caret: fields by their beginning, then the values of a field. */
export function completions(line: string, caret: number, fields: readonly QueryField[]): Completion[] {
  const word = words(line).find((candidate) => candidate.from < caret && caret <= candidate.to)
  const from = word?.from ?? caret
  const to = word?.to ?? caret
  const typed = line.slice(from, caret)
  const match = OPERATOR.exec(typed)
  if (!match) {
    return fields
      .filter((field) => field.name.startsWith(typed.toLowerCase()))
      .map((field) => ({
        from,
        to,
        insert: field.name + (field.operators[0] ?? ':'),
        label: field.name,
        meaning: field.meaning,
      }))
  }
  const [, name, operator, value] = match
  const field = fields.find((candidate) => candidate.name === name)
  return (field?.values ?? [])
    .filter((candidate) => candidate.toLowerCase().includes(bare(value!).toLowerCase()) && candidate !== bare(value!))
    .map((candidate) => ({
      from,
      to,
      insert: `${name}${operator}${quoted(candidate)} `,
      label: candidate,
      meaning: '',
    }))
}

/** Applies a completion; returns the line and where the caret goes. */
export function complete(line: string, completion: Completion): { line: string; caret: number } {
  const after = line.slice(completion.to).replace(/^ /, completion.insert.endsWith(' ') ? '' : ' ')
  const before = line.slice(0, completion.from) + completion.insert
  return { line: before + after, caret: before.length }
}
