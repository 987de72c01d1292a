/**
 * Lanes of a run. A run is a tree, so depth is the column, and the branch that reaches deepest keeps its parent's lane.
 *
 * Invariant: no two nodes have the same column and lane. Cost: O(n log n) at worst, about a millisecond for 10,000 nodes.
 */

export interface Lanes {
  /** Column of each node. */
  depth: Int32Array
  /** Row of each node. */
  lane: Int32Array
  /** The child that continues the branch of each node, or -1. */
  heir: Int32Array
  columns: number
  lanes: number
}

/** Lays out a tree given as parent indices; a parent comes before its children, and a root has -1. */
export function layOut(parent: ArrayLike<number>): Lanes {
  const count = parent.length
  const depth = new Int32Array(count)
  const reach = new Int32Array(count)
  const heir = new Int32Array(count).fill(-1)
  const lane = new Int32Array(count)
  let columns = 0
  for (let i = 0; i < count; i++) {
    const up = parent[i]!
    depth[i] = up < 0 ? 0 : depth[up]! + 1
    reach[i] = depth[i]!
    if (depth[i]! >= columns) columns = depth[i]! + 1
  }
  for (let i = count - 1; i >= 0; i--) {
    const up = parent[i]!
    if (up < 0) continue
    // Children are met from the last to the first, so `>=` leaves the oldest of equally deep ones as the heir.
    if (heir[up]! < 0 || reach[i]! >= reach[heir[up]!]!) heir[up] = i
    if (reach[i]! > reach[up]!) reach[up] = reach[i]!
  }
  // Branches begin at a node that is nobody's heir. Taken by their first column, a lane is free for good once it has
  // ended, so releasing lanes column by column finds the lowest free one without looking at the others.
  const starts: number[][] = Array.from({ length: columns }, () => [])
  for (let i = 0; i < count; i++) {
    const up = parent[i]!
    if (up < 0 || heir[up] !== i) starts[depth[i]!]!.push(i)
  }
  const released: number[][] = Array.from({ length: columns + 1 }, () => [])
  const free = new LaneHeap()
  let lanes = 0
  for (let column = 0; column < columns; column++) {
    for (const ended of released[column]!) free.push(ended)
    for (const start of starts[column]!) {
      const own = free.pop() ?? lanes++
      lane[start] = own
      released[Math.min(reach[start]! + 1, columns)]!.push(own)
    }
  }
  for (let i = 0; i < count; i++) {
    const up = parent[i]!
    if (up >= 0 && heir[up] === i) lane[i] = lane[up]!
  }
  return { depth, lane, heir, columns, lanes }
}

/** A binary heap that gives the lowest number first. */
class LaneHeap {
  #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      if (items[up]! <= item) break
      items[at] = items[up]!
      at = up
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (top === undefined || last === undefined || items.length === 0) return top
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down >= items.length) break
      if (down + 1 < items.length && items[down + 1]! < items[down]!) down++
      if (items[down]! >= last) break
      items[at] = items[down]!
      at = down
    }
    items[at] = last
    return top
  }
}
