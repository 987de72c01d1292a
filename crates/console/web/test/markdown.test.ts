import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseMarkdown, safeHref, type Block, type Inline } from '../src/view/markdown'
import { cut, oneLine, visible } from '../src/view/text'

function inlinesIn(blocks: Block[]): Inline[] {
  return blocks.flatMap((block): Inline[] => {
    switch (block.kind) {
      case 'paragraph':
      case 'heading':
        return flat(block.inner)
      case 'quote':
        return inlinesIn(block.blocks)
      case 'list':
        return block.items.flatMap((item) => inlinesIn(item.blocks))
      case 'table':
        return flat([...block.head.flat(), ...block.rows.flat(2)])
      default:
        return []
    }
  })
}

function flat(inlines: Inline[]): Inline[] {
  return inlines.flatMap((inline) => ('inner' in inline ? [inline, ...flat(inline.inner)] : [inline]))
}

test('raw HTML is text', () => {
  const { blocks } = parseMarkdown('before <img src=x onerror=alert(1)> after\n\n<script>alert(1)</script>')
  expect(blocks[0]).toEqual({
    kind: 'paragraph',
    inner: [
      { kind: 'text', text: 'before ' },
      { kind: 'text', text: '<img src=x onerror=alert(1)>' },
      { kind: 'text', text: ' after' },
    ],
  })
  expect(blocks[1]).toEqual({ kind: 'code', text: '<script>alert(1)</script>', language: 'html' })
})

test.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '//evil.example', '/api/v1/inbox', '\u0001javascript:x'])(
  '%s is no link',
  (href) => expect(safeHref(href)).toBeUndefined(),
)

test('links lead to http, https and mail, and images are links', () => {
  expect(safeHref('https://example.com/a b')).toBe('https://example.com/a%20b')
  expect(safeHref('mailto:a@example.com')).toBe('mailto:a@example.com')
  const inlines = inlinesIn(parseMarkdown('![pixel](https://example.com/p.png) [x](javascript:alert(1))').blocks)
  expect(inlines.filter((inline) => inline.kind === 'link')).toHaveLength(1)
  expect(inlines).toContainEqual({ kind: 'text', text: '[x](javascript:alert(1))' })
})

const hostile = fc.array(
  fc.constantFrom('> ', '- ', '* ', '1. ', '`', '```', '\n', '\n\n', '[', '](', ')', '<', '>', '<b>', '![', '|', '---', '#', '**', '_', '~~', 'a', ' ', 'javascript:', 'https://x.y', '\u202e', '\\', '&lt;', '    '),
  { maxLength: 300 },
)

test('any text becomes a tree of known kinds with safe links', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), hostile.map((parts) => parts.join(''))), (source) => {
      for (const inline of inlinesIn(parseMarkdown(source).blocks)) {
        expect(['text', 'code', 'strong', 'em', 'del', 'link', 'break']).toContain(inline.kind)
        if (inline.kind === 'link') expect(inline.href).toMatch(/^(https?:|mailto:)/)
      }
    }),
    { numRuns: 500 },
  )
})

test('a million quotes, brackets or letters neither overflow nor freeze', () => {
  for (const piece of ['> ', '[', '* ', 'a', '`', '![](', '<a ', '- \n', '**a ']) {
    const before = performance.now()
    const tree = parseMarkdown(piece.repeat(1_000_000))
    expect(tree.leftOut).toBeGreaterThan(0)
    expect(performance.now() - before).toBeLessThan(1500)
  }
})

test('what is left out is counted', () => {
  const tree = parseMarkdown('word '.repeat(20_000), 1000)
  expect(tree.leftOut).toBe(99_000)
})

test('invisible characters are named', () => {
  expect(visible('a\u202Eb')).toEqual([
    { text: 'a', isMark: false },
    { text: 'RLO', isMark: true },
    { text: 'b', isMark: false },
  ])
  expect(oneLine('\u001b[31mred\n now')).toBe('⟨ESC⟩[31mred now')
  expect(visible('👩‍💻')).toEqual([{ text: '👩‍💻', isMark: false }])
  expect(visible('a\r\nb').map((piece) => piece.text).join('')).toBe('a\nb')
})

test('nothing that hides or reorders text stays', () => {
  const hidden = ['\u202e', '\u200b', '\u0000', '\u001b', '\u2066', '\ufeff', '\u{e0041}', 'a', '\n', '\u200d', '👩']
  const any = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
  const wild = fc.array(fc.oneof(fc.constantFrom(...hidden), any), { maxLength: 40 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(wild, (text) => {
      for (const piece of visible(text)) {
        if (!piece.isMark) expect(piece.text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069\ufeff]/)
      }
    }),
  )
})

test('a cut never splits a character', () => {
  expect(cut('ab😀', 3)).toEqual({ text: 'ab', leftOut: 2 })
  expect(cut('ab😀', 4)).toEqual({ text: 'ab😀', leftOut: 0 })
})
