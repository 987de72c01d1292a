/**
 * Text of agents, made safe to look at. Control characters and marks of writing direction can hide or reorder what is
 * read, so they are replaced by names.
 *
 * Invariant: no piece holds a control character (but line break and tab) or a direction mark.
 */

export interface TextPiece {
  text: string
  /** Set if the piece stands for a character that would be invisible. */
  isMark: boolean
}

// C0 and C1 controls, DEL, zero-width characters, direction marks, separators, tags and the byte order mark.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

const NAMES: Record<number, string> = {
  0x00: 'NUL', 0x07: 'BEL', 0x08: 'BS', 0x0d: 'CR', 0x1b: 'ESC', 0x7f: 'DEL', 0xad: 'SHY',
  0x61c: 'ALM', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x200e: 'LRM', 0x200f: 'RLM',
  0x2028: 'LS', 0x2029: 'PS', 0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO',
  0x2060: 'WJ', 0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI', 0xfeff: 'BOM',
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Splits a text into what is shown as it is and names of what would be invisible. */
export function visible(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const match of text.matchAll(HIDDEN)) {
    // A joiner between two pictographs makes one emoji; there it is visible, as that emoji.
    if (match[0] === '\u200d' && joinsEmoji(text, match.index)) continue
    // A carriage return before a line break is only another way to end a line.
    const isLineEnd = match[0] === '\r' && text[match.index + 1] === '\n'
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isMark: false })
    if (!isLineEnd) pieces.push({ text: nameOf(match[0]), isMark: true })
    end = match.index + match[0].length
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isMark: false })
  return pieces
}

/** Splits a sentence at its backticks, of which every second part is code. */
export function codeParts(text: string): { text: string; isCode: boolean }[] {
  const parts = text.split('`')
  // The last one has no partner: it is a backtick.
  if (parts.length % 2 === 0) parts.push(parts.splice(-2).join('`'))
  return parts.map((part, at) => ({ text: part, isCode: at % 2 === 1 })).filter((part) => part.text !== '')
}

/** Returns the text on one line with invisible characters named, for places that cannot style them. */
export function oneLine(text: string): string {
  return visible(text)
    .map((piece) => (piece.isMark ? `⟨${piece.text}⟩` : piece.text))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
}

function joinsEmoji(text: string, at: number): boolean {
  return /[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]$/u.test(text.slice(Math.max(0, at - 3), at)) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3))
}

/** Returns the beginning of a text, cut between characters, and how many UTF-16 units were left out. */
export function cut(text: string, most: number): { text: string; leftOut: number } {
  if (text.length <= most) return { text, leftOut: 0 }
  const code = text.charCodeAt(most - 1)
  const end = code >= 0xd800 && code < 0xdc00 ? most - 1 : most
  return { text: text.slice(0, end), leftOut: text.length - end }
}

/** Returns a short form of an id or digest that is enough to recognise it. */
export function short(id: string): string {
  const at = Math.max(id.indexOf('_'), id.indexOf(':'))
  return at < 0 || id.length - at < 12 ? id : `${id.slice(0, at + 1)}${id.slice(at + 1, at + 8)}`
}

/** Returns the file and line of a position, such as `config.toml:5` of `/home/me/config.toml:5:1`. */
export function fileName(at: string): string {
  return at.slice(at.lastIndexOf('/') + 1).replace(/^(.*:\d+):\d+$/, '$1')
}

/** Returns the end of an id, which names the thing on the command line. */
export function ending(id: string): string {
  return id.slice(-8)
}
