/** Scores how well typed letters fit a name, for the palette. */

interface Piece {
  text: string
  isMatch: boolean
}

/** Characters that lead to the first match of an excerpt, on the one line that it has. */
const LEAD = 16

/**
 * Returns the part of an excerpt that fits on a line beside its title: from shortly before the first match that the title
 * does not show. Nothing is left if the title shows them all.
 */
export function besideTitle(title: string, pieces: readonly Piece[]): Piece[] {
  const said = title.toLowerCase()
  const first = pieces.findIndex((piece) => piece.isMatch && !said.includes(piece.text.toLowerCase()))
  if (first < 0) return []
  const before = pieces
    .slice(0, first)
    .map((piece) => piece.text)
    .join('')
  const words = before.length > LEAD ? `…${before.slice(-LEAD).replace(/^\S*\s+/, '')}` : before
  return [...(words ? [{ text: words, isMatch: false }] : []), ...pieces.slice(first)]
}

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
