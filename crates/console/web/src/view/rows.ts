/**
 * The rows of the timeline: the way to the tip first, then each branch that was left, below a line that names it. Turns
 * of a loop fold into one row each, once there are many; so do the probes that Piton added.
 *
 * Invariant: without filters, every node is in exactly one node row or within exactly one folded row.
 */
import { layOut } from './lanes'
import { isTroubled, type RunModel } from './run'

/** A fold holds a turn of a loop or, without a turn, probes. */
export type TimelineRow =
  | { kind: 'node'; node: number; depth: number }
  | { kind: 'fold'; key: string; from: number; nodes: number[]; turn: number; isOpen: boolean; hasTrouble: boolean }
  | { kind: 'branch'; key: string; at: number; first: number; steps: number; isOpen: boolean; hasTrouble: boolean }

export interface RowFilter {
  onlyTrouble: boolean
  /** Only the way to this node. */
  onlyBranch?: number
  /** A node that must be in a row of its own. */
  selected?: number
  /** Keys of folded rows that were opened, and of branches that were closed. */
  toggled: ReadonlySet<string>
}

/** Loops of fewer turns are shown in full. */
export const TURNS_SHOWN = 3
/** With more branches than this, they begin closed. */
const BRANCHES_OPEN = 3

/** Returns the rows of a run. */
export function rowsOf(model: RunModel, filter: RowFilter): TimelineRow[] {
  const rows: TimelineRow[] = []
  const { shape, count, parent } = model
  if (count === 0) return rows
  const lanes = layOut(parent)
  const inBranch = new Uint8Array(count)
  if (filter.onlyBranch !== undefined) {
    for (let node = filter.onlyBranch; node >= 0; node = parent[node]!) inBranch[node] = 1
  }
  const isShown = (node: number) =>
    (!filter.onlyTrouble || isTroubled(model, node) || node === model.tip) &&
    (filter.onlyBranch === undefined || inBranch[node] === 1)

  // The way to the tip is one branch; of what is left, each node continues with the child that reaches deepest.
  const taken = new Uint8Array(count)
  const main: number[] = []
  for (let node = model.tip; node >= 0; node = parent[node]!) main.push(node)
  main.reverse()
  for (const node of main) taken[node] = 1
  // A bookmark is a leaf, and belongs to the row of its step.
  const bookmarks = new Map<number, number[]>()
  for (let node = 0; node < count; node++) {
    if (!model.isBookmark[node] || taken[node] || parent[node]! < 0) continue
    taken[node] = 1
    bookmarks.set(parent[node]!, [...(bookmarks.get(parent[node]!) ?? []), node])
  }
  const withBookmarks = (nodes: number[]) => nodes.flatMap((node) => [node, ...(bookmarks.get(node) ?? [])])
  pushNodes(rows, model, withBookmarks(main).filter(isShown), 0, filter)

  const branches: { first: number; nodes: number[] }[] = []
  for (let node = 0; node < count; node++) {
    if (taken[node]) continue
    const nodes: number[] = []
    for (let next = node; next >= 0 && !taken[next]; next = lanes.heir[next]!) {
      taken[next] = 1
      nodes.push(next)
    }
    branches.push({ first: node, nodes })
  }
  for (const branch of branches) {
    const shown = withBookmarks(branch.nodes).filter(isShown)
    if (shown.length === 0) continue
    const key = `branch:${shape.nodes.id[branch.first]}`
    const isOpenFirst = branches.length <= BRANCHES_OPEN
    const isOpenNow = isOpenFirst || shown.includes(filter.selected ?? -1)
    const isOpen = filter.toggled.has(key) ? !isOpenNow : isOpenNow
    rows.push({
      kind: 'branch',
      key,
      at: parent[branch.first]!,
      first: branch.first,
      steps: branch.nodes.length,
      isOpen,
      hasTrouble: branch.nodes.some((node) => isTroubled(model, node)),
    })
    if (isOpen) pushNodes(rows, model, shown, 1, filter)
  }
  return rows
}

/** Returns the turn that a node belongs to; a bookmark belongs to that of its step. */
function turnOf(model: RunModel, node: number): number {
  return model.turn[model.isBookmark[node] ? Math.max(0, model.parent[node]!) : node]!
}

/** Whether a node is at a probe that Piton added, outside of a loop. The one that a run is at stays in sight. */
function isFoldedProbe(model: RunModel, node: number): boolean {
  const { nodes, steps } = model.shape
  const step = nodes.step[model.isBookmark[node] ? Math.max(0, model.parent[node]!) : node]
  return step != null && steps[step]!.collapsed === true && turnOf(model, node) === 0 && node !== model.tip
}

function pushNodes(rows: TimelineRow[], model: RunModel, nodes: number[], depth: number, filter: RowFilter): void {
  const { shape } = model
  const nodeRow = (node: number, more = 0): TimelineRow => ({ kind: 'node', node, depth: depth + more + model.isBookmark[node]! })
  const fold = (key: string, group: number[]): void => {
    const isOpen = filter.toggled.has(key) !== group.includes(filter.selected ?? -1)
    const hasTrouble = group.some((node) => isTroubled(model, node))
    rows.push({ kind: 'fold', key, from: group[0]!, nodes: group, turn: turnOf(model, group[0]!), isOpen, hasTrouble })
    if (isOpen) for (const node of group) rows.push(nodeRow(node, 1))
  }
  for (let at = 0; at < nodes.length; ) {
    let end = at
    while (end < nodes.length && isFoldedProbe(model, nodes[end]!)) end++
    if (end > at) {
      const probes = nodes.slice(at, end)
      if (filter.onlyTrouble) for (const node of probes) rows.push(nodeRow(node))
      else fold(`probes:${shape.nodes.id[probes[0]!]}`, probes)
      at = end
      continue
    }
    while (end < nodes.length && turnOf(model, nodes[end]!) > 0) end++
    if (end === at) {
      rows.push(nodeRow(nodes[at]!))
      at++
      continue
    }
    const turns = groupTurns(model, nodes.slice(at, end))
    for (const [place, group] of turns.entries()) {
      // The newest turns stay open: that is where a run is.
      const isFolded = turns.length > TURNS_SHOWN && place < turns.length - 1 && !filter.onlyTrouble
      const key = `turn:${shape.nodes.id[group[0]!]}`
      if (!isFolded) {
        for (const node of group) rows.push(nodeRow(node))
        continue
      }
      fold(key, group)
    }
    at = end
  }
}

function groupTurns(model: RunModel, nodes: number[]): number[][] {
  const groups: number[][] = []
  for (const node of nodes) {
    const last = groups[groups.length - 1]
    if (last && turnOf(model, last[0]!) === turnOf(model, node)) last.push(node)
    else groups.push([node])
  }
  return groups
}

/** Returns the row that shows a node, or that it is folded into. */
export function rowOfNode(rows: readonly TimelineRow[], node: number): number {
  const own = rows.findIndex((row) => row.kind === 'node' && row.node === node)
  if (own >= 0) return own
  return rows.findIndex((row) => row.kind === 'fold' && row.nodes.includes(node))
}
