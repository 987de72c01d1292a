/** A run, read from its columns: who came from whom, what is on the way to the tip, and what each node spent. */
import type { DecisionKind, Inbox, RunPage, RunShape, RunSummary, ShapedRun, ShownList, StepDetail } from '../api/replies'
import type { Span } from './scale'
import { DECIDED } from './questions'
import { WORDS, type State } from './status'
import { short } from './text'

export interface RunModel {
  shape: RunShape
  /** Number of nodes at the moment that is shown. */
  count: number
  isDone: boolean
  /** Node by id. */
  index: Map<string, number>
  parent: Int32Array
  /** Children of each node, as a list: `children[firstChild[i] .. firstChild[i + 1]]`. */
  children: Int32Array
  firstChild: Int32Array
  turn: Int32Array
  blocked: Int32Array
  openGaps: Int32Array
  isBookmark: Uint8Array
  /** The preferred tip, or the newest step of the moment that is shown. */
  tip: number
  isOnPath: Uint8Array
  /** When the work on each node ended, or the newest time known. */
  end: Float64Array
  attempts: Map<number, AttemptBar[]>
  waits: Map<number, WaitBar[]>
  /** The newest time in the run. */
  until: number
}

export interface AttemptBar extends Span {
  isBlocked: boolean
  /** Set if it only asked a person. */
  isAsked: boolean
}

export interface WaitBar extends Span {
  isOpen: boolean
  /** What ended it, if a person did. */
  decision?: DecisionKind
}

/** Returns the times at which something was recorded, in order. They are what one travels through. */
export function momentsOf(shape: RunShape): number[] {
  const times = [...shape.nodes.created, ...shape.attempts.at]
  for (const wait of shape.waits) if (wait.until !== undefined) times.push(wait.until)
  return [...new Set(times)].sort((a, b) => a - b)
}

/** Reads a run as it was at a time. Nodes are in the order of their creation, so a moment is a prefix. */
export function readRun(shown: ShapedRun, at = Infinity): RunModel {
  const { shape, summary } = shown
  const activeAt = summary?.activeAt ?? 0
  const { nodes } = shape
  let count = nodes.id.length
  while (count > 1 && nodes.created[count - 1]! > at) count--
  const isPast = count < nodes.id.length || at < activeAt
  const isDone = (summary?.status.startsWith('complete') ?? false) && !isPast
  const index = new Map<string, number>()
  for (let i = 0; i < count; i++) index.set(nodes.id[i]!, i)
  const parent = Int32Array.from({ length: count }, (_, i) => nodes.parent[i] ?? -1)
  const { children, firstChild } = childLists(parent)
  const isBookmark = new Uint8Array(count)
  for (const node of shape.bookmarks) if (node < count) isBookmark[node] = 1
  const preferred = shape.preferredTip ?? -1
  const tip = preferred >= 0 && preferred < count ? preferred : newestStep(isBookmark)
  const isOnPath = new Uint8Array(count)
  for (let node = tip; node >= 0; node = parent[node]!) isOnPath[node] = 1

  // Time that a person took is no time of the attempt that followed.
  const decided = new Map<number, number>()
  for (const wait of shape.waits) if (wait.until !== undefined && wait.until <= at) decided.set(wait.node, wait.until)
  const blocked = new Int32Array(count)
  const attempts = new Map<number, AttemptBar[]>()
  const hasLeft = new Uint8Array(count)
  const asked = new Set(shape.attempts.asked)
  const end = Float64Array.from({ length: count }, (_, i) => nodes.created[i]!)
  let until = isPast ? 0 : activeAt
  for (let i = 0; i < count; i++) until = Math.max(until, nodes.created[i]!)
  for (const [i, node] of shape.attempts.node.entries()) {
    const to = shape.attempts.at[i]!
    if (node >= count || to > at) continue
    until = Math.max(until, to)
    const bars = attempts.get(node) ?? []
    if (bars.length === 0) attempts.set(node, bars)
    // An attempt took from the one before it, or from when the run came to the node. Once a node was left, nobody knows
    // when somebody came back to it.
    const last = bars[bars.length - 1]
    const before = last === undefined ? nodes.created[node]! : last.isBlocked || last.isAsked ? last.to : to
    const answered = decided.get(node) ?? 0
    const from = answered > before && answered <= to ? answered : before
    const isAsked = asked.has(i)
    const isBlocked = !isAsked && (shape.attempts.reached[i] ?? null) === null
    // What somebody submits who comes back is of another branch; the work here had ended.
    if (!hasLeft[node]) end[node] = Math.max(end[node]!, to)
    if (!isAsked && !isBlocked) hasLeft[node] = 1
    bars.push({ from, to: Math.max(from, to), isBlocked, isAsked })
    if (isBlocked) blocked[node]!++
  }
  if (isPast && Number.isFinite(at)) until = Math.max(until, at)
  const waits = new Map<number, WaitBar[]>()
  for (const wait of shape.waits) {
    if (wait.node >= count || wait.from > until) continue
    const isOpen = wait.until === undefined || wait.until > until
    const to = Math.max(wait.from, isOpen ? until : wait.until!)
    const bars = waits.get(wait.node) ?? []
    if (bars.length === 0) waits.set(wait.node, bars)
    bars.push({ from: wait.from, to, isOpen, ...(wait.decision && !isOpen ? { decision: wait.decision } : {}) })
    end[wait.node] = Math.max(end[wait.node]!, to)
  }
  if (!isDone) end[tip] = Math.max(end[tip]!, until)
  const turn = Int32Array.from({ length: count }, (_, i) => nodes.turn[i] ?? 0)
  const openGaps = new Int32Array(count)
  // Of the past, only refusals are known by their times; gaps are those of today.
  for (const { node, count: gaps } of shape.openGaps) if (node < count) openGaps[node] = gaps
  return {
    shape, count, isDone, index, parent, children, firstChild, turn, blocked, openGaps, isBookmark, tip, isOnPath, end,
    attempts, waits, until,
  }
}

function newestStep(isBookmark: Uint8Array): number {
  for (let i = isBookmark.length - 1; i >= 0; i--) if (!isBookmark[i]) return i
  return isBookmark.length - 1
}

function childLists(parent: Int32Array) {
  const count = parent.length
  const firstChild = new Int32Array(count + 1)
  for (const up of parent) if (up >= 0) firstChild[up + 1]!++
  for (let i = 0; i < count; i++) firstChild[i + 1]! += firstChild[i]!
  const next = firstChild.slice(0, count)
  const children = new Int32Array(firstChild[count]!)
  for (let i = 0; i < count; i++) if (parent[i]! >= 0) children[next[parent[i]!]!++] = i
  return { children, firstChild }
}

/** Returns when the run came to a node. */
export function createdAt(model: RunModel, node: number): number {
  return model.shape.nodes.created[node]!
}

/** Returns the place of a node's step in the workflow, from one; 0 if it has none. */
export function stepNumber(model: RunModel, node: number): number {
  const step = model.shape.nodes.step[node] ?? null
  return step === null ? 0 : (model.shape.steps[step]?.number ?? 0)
}

/** True if a node is the end of a run: no step is pending there. */
export function isEnd(model: RunModel, node: number): boolean {
  return (model.shape.nodes.title[node] ?? null) === null && !model.isBookmark[node]
}

/** Returns the title of a node. The end of a run has none of its own. */
export function titleOf(model: RunModel, node: number): string {
  const title = model.shape.nodes.title[node] ?? null
  if (model.isBookmark[node]) return title === null ? 'Checkpoint' : `Checkpoint: ${model.shape.titles[title]}`
  return title === null ? 'End of the run' : (model.shape.titles[title] ?? '')
}

/** Returns the state of a node. */
export function stateOf(model: RunModel, node: number): State {
  const { waits, firstChild } = model
  if (model.openGaps[node]! > 0 && node !== model.tip) return 'gaps'
  const isLeaf = firstChild[node] === firstChild[node + 1]
  if (!isLeaf || isEnd(model, node) || model.isBookmark[node]) return 'complete'
  if (node !== model.tip) return 'left'
  if (waits.get(node)?.some((bar) => bar.isOpen)) return 'waiting'
  if (openDecision(model, node)) return 'decided'
  const last = model.attempts.get(node)?.at(-1)
  return last?.isBlocked ? 'blocked' : 'progress'
}

/** Returns what a person decided at a node, if no attempt followed. */
function openDecision(model: RunModel, node: number): DecisionKind | undefined {
  const wait = model.waits.get(node)?.at(-1)
  const last = model.attempts.get(node)?.at(-1)
  return wait && (!last || last.to <= wait.to) ? wait.decision : undefined
}

/** Returns the state of a node in words. */
export function wordOf(model: RunModel, node: number): string {
  const state = stateOf(model, node)
  const decision = openDecision(model, node)
  return state === 'decided' && decision ? `${DECIDED[decision]}, waits for the agent` : WORDS[state]
}

/** Returns the number of branches at the moment that is shown: steps that no other step came from. */
export function branchesOf(model: RunModel): number {
  const hasStep = new Uint8Array(model.count)
  for (let i = 0; i < model.count; i++) if (!model.isBookmark[i] && model.parent[i]! >= 0) hasStep[model.parent[i]!] = 1
  let branches = 0
  for (let i = 0; i < model.count; i++) if (!model.isBookmark[i] && !hasStep[i]) branches++
  return branches
}

/** True if something went wrong at a node. */
export function isTroubled(model: RunModel, node: number): boolean {
  return model.blocked[node]! > 0 || model.openGaps[node]! > 0
}

/** True if a node is `below` itself, or lies on the way to it. */
export function isAbove(model: RunModel, node: number, below: number): boolean {
  return commonAncestor(model, node, below) === node
}

/** Returns the last node that two nodes have in common. */
export function commonAncestor(model: RunModel, one: number, other: number): number {
  let a = one
  let b = other
  // A parent has a smaller index than its children, so the larger of the two cannot be common yet.
  while (a !== b) {
    if (a > b) a = model.parent[a]!
    else b = model.parent[b]!
  }
  return a
}

/** A run in a list. */
export interface RunEntry {
  summary: RunSummary
  /** Set while a question of it waits for a person, which its status does not say. */
  isWaiting: boolean
  kept?: boolean
}

/** Returns the runs of a page, with those that wait for a person marked. */
export function entriesOf(page: RunPage, inbox: Inbox | undefined): RunEntry[] {
  const waiting = new Set(inbox?.questions.items.map((question) => question.run.runId))
  return page.runs.map(({ run }) => ({ summary: run, isWaiting: waiting.has(run.runId) }))
}

/** Returns the run as lists show it. Of a damaged one, only ids may be known. */
export function entryOf(shown: ShapedRun): RunEntry {
  const { shape, sessionId, runId, kept } = shown
  const tip = shape.preferredTip ?? -1
  const isWaiting = shape.waits.some((wait) => wait.node === tip && wait.until === undefined)
  const unknown: RunSummary = {
    sessionId,
    runId,
    label: short(runId),
    title: 'A run whose summary cannot be read',
    workflow: { id: 'unknown', hash: '' },
    status: 'in_progress',
    openGaps: 0,
    nodes: shape.nodes.id.length,
    tips: shape.tips.length,
    surroundings: {},
    startedAt: shape.nodes.created[0] ?? 0,
    activeAt: shape.nodes.created.at(-1) ?? 0,
    tip: shape.nodes.id[tip] ?? '',
    activity: 0,
  }
  return { summary: shown.summary ?? unknown, isWaiting, kept }
}

/** Returns the attempt that left a step on the way to the tip; of another branch, the first that left it. */
export function leavingAttempt(model: RunModel, detail: StepDetail): StepDetail['attempts']['items'][number] | undefined {
  const passed = detail.attempts.items.filter((attempt) => attempt.reached !== undefined)
  return passed.find((attempt) => model.isOnPath[model.index.get(attempt.reached!) ?? -1]) ?? passed[0]
}

/** Returns the notes that count at a step: those of the attempt that left it, else the newest that nothing superseded. */
export function notesOf(model: RunModel, detail: StepDetail): string | undefined {
  const notes = detail.outputs.items.filter((output) => output.notes !== undefined)
  const leaving = leavingAttempt(model, detail)?.event
  const counts = notes.findLast((output) => leaving !== undefined && output.attempt === leaving)
  return (counts ?? notes.findLast((output) => !output.superseded))?.notes
}

/** Returns what became of an output that does not count on the branch that is shown. */
export function fateOf(model: RunModel, detail: StepDetail, output: StepDetail['outputs']['items'][number]): string | undefined {
  const leaving = leavingAttempt(model, detail)?.event
  if (leaving !== undefined && output.attempt === leaving) return undefined
  const attempt = detail.attempts.items.find(({ event }) => event === output.attempt)
  if (attempt?.reached !== undefined) return 'another branch'
  return output.superseded ? 'superseded' : undefined
}

/** Returns a step's detail as it was at a time: what was recorded later is left out. */
export function detailAt(detail: StepDetail, at: number): StepDetail {
  const until = <Item extends { at: number }>(list: ShownList<Item>): ShownList<Item> => ({
    items: list.items.filter((item) => item.at <= at),
    leftOut: list.leftOut,
  })
  const outputs = until(detail.outputs)
  const gaps = until(detail.gaps)
  // What took the place of something, or resolved it, may not have been there yet.
  const isReplaced = (at: number) =>
    outputs.items.slice(at + 1).some((later) => (later.notes === undefined) === (outputs.items[at]!.notes === undefined))
  const isResolved = (by: string | undefined) => gaps.items.some(({ gap }) => gap.gapId === by)
  const resolvesHere = (by: string | undefined) => detail.gaps.items.some(({ gap }) => gap.gapId === by)
  return {
    ...detail,
    outputs: { ...outputs, items: outputs.items.map((output, i) => ({ ...output, superseded: output.superseded && isReplaced(i) })) },
    attempts: until(detail.attempts),
    decisions: until(detail.decisions),
    gaps: {
      ...gaps,
      items: gaps.items.map((gap) => ({ ...gap, isOpen: gap.isOpen || (resolvesHere(gap.resolvedBy) && !isResolved(gap.resolvedBy)) })),
    },
    divergences: until(detail.divergences),
  }
}
