/** Scores how well typed letters fit a name, for the palette. */

/** Returns a score, higher is better, or -1 if the letters are not in the name in this order. */
export function score(typed: string, name: string): number {
  const letters = typed.toLowerCase().replace(/\s+/g, '')
  const text = name.toLowerCase()
  if (letters === '') return 0
  let total = 0
  let at = -1
  for (const letter of letters) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return -1
    // Neighbours and beginnings of words are what people mean.
    if (next === at + 1) total += 3
    if (next === 0 || /[\s.:/_-]/.test(text[next - 1]!)) total += 4
    total += 1 / (1 + next)
    at = next
  }
  return total / (1 + text.length / 200)
}

/** Cuts a text at marks; the pieces joined are the text. */
export function marked(text: string, marks: readonly (readonly [number, number])[]): { text: string; isHit: boolean }[] {
  const pieces: { text: string; isHit: boolean }[] = []
  let end = 0
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(end, Math.min(from, text.length))
    const stop = Math.max(start, Math.min(to, text.length))
    if (start > end) pieces.push({ text: text.slice(end, start), isHit: false })
    if (stop > start) pieces.push({ text: text.slice(start, stop), isHit: true })
    end = stop
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isHit: false })
  return pieces
}
