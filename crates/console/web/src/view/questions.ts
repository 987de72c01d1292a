/** Questions of runs to a person: what they are about, which stay in sight, and how they ended. */
import type { DecisionKind, Question } from '../api/replies'
import { cut, oneLine } from './text'
import { clock } from './time'

/** A goal is cut after this many characters: a card shows one line of it. */
const GOAL_MAX = 160

/** Returns a goal in one line: its first heading, or else its first line. */
export function headline(goal: string): string {
  const lines = goal.split('\n').map((line) => line.trim()).filter((line) => line !== '')
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))
  const line = oneLine((heading ?? lines[0] ?? '').replace(/^#{1,6}\s+/, ''))
  const { text, leftOut } = cut(line, GOAL_MAX)
  return leftOut > 0 ? `${text.trimEnd()}…` : text
}

/** Returns the questions to show: the open ones, and each that is held though it is settled, where it was. */
export function withHeld(shown: readonly Question[], open: readonly Question[], held: ReadonlySet<string>): Question[] {
  const ids = new Set(open.map((question) => question.nodeId))
  const result = [...open]
  for (const [place, question] of shown.entries()) {
    if (held.has(question.nodeId) && !ids.has(question.nodeId)) result.splice(Math.min(place, result.length), 0, question)
  }
  return result
}

/** How somebody decided a question. */
export interface Settlement {
  decision: DecisionKind
  by?: string
  at: number
}

export const DECIDED: Record<DecisionKind, string> = { approved: 'Approved', answered: 'Answered', refused: 'Refused' }

/** Reads who decided what and when from the details of a refusal, if it says so. */
export function settlementOf(details: unknown): Settlement | undefined {
  if (typeof details !== 'object' || details === null) return undefined
  const { decision, by, at } = details as Record<string, unknown>
  if (typeof decision !== 'string' || !Object.hasOwn(DECIDED, decision) || typeof at !== 'number') return undefined
  return { decision: decision as DecisionKind, at, ...(typeof by === 'string' ? { by } : {}) }
}

/** Says how a question was decided: `Approved by Ada at 14:02:11`. */
export function settled({ decision, by, at }: Settlement): string {
  return `${DECIDED[decision]}${by ? ` by ${oneLine(by)}` : ''} at ${clock(at)}`
}
