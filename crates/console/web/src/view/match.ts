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
