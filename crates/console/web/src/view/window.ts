/** The rows of a long list that are worth having in the document. */

export interface RowWindow {
  from: number
  /** One past the last. */
  to: number
  /** Where the first begins, in pixels. */
  offset: number
}

/** Returns the rows in view, with `extra` on either side, so that a fast scroll does not show an empty band. */
export function rowsInView(scrollTop: number, height: number, rowHeight: number, count: number, extra = 8): RowWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const last = Math.ceil((Math.max(0, scrollTop) + Math.max(0, height)) / rowHeight)
  const to = Math.min(count, Math.max(0, last + extra))
  const from = Math.min(Math.max(0, first - extra), to)
  return { from, to, offset: from * rowHeight }
}

/** Returns where to scroll so that a row is in view, moving as little as possible. */
export function scrollToRow(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight
  const bottom = top + rowHeight
  if (top < scrollTop) return top
  if (bottom > scrollTop + height) return Math.max(0, bottom - height)
  return scrollTop
}
