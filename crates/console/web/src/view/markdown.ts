/**
 * Markdown of agents as a tree that components show. What agents write is hostile: raw HTML stays text, images become
 * links, and a link leads to `http`, `https` or `mailto` or nowhere.
 *
 * Invariants: the tree has the kinds below and nothing else; its depth and size are bounded, and what does not fit is
 * counted.
 */
import { Lexer, type Token, type Tokens } from 'marked'
import { cut } from './text'

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; inner: Inline[] }
  | { kind: 'link'; href: string; inner: Inline[] }
  | { kind: 'break' }

export type Block =
  | { kind: 'paragraph'; inner: Inline[] }
  | { kind: 'heading'; level: number; inner: Inline[] }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: ListItem[] }
  | { kind: 'table'; align: (string | null)[]; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }

export interface ListItem {
  /** Of a task list: whether it is done. */
  isDone?: boolean
  blocks: Block[]
}

export interface MarkdownTree {
  blocks: Block[]
  /** Number of UTF-16 units at the end that are not in the tree. */
  leftOut: number
}

/** More is shown on request: a megabyte of notes would take seconds to lay out. */
export const MARKDOWN_MAX = 48_000
/** Deeper nesting than this says nothing to a reader, and would exhaust the stack. */
const DEPTH_MAX = 12
/** Above this, what the lexer is given is shown as plain text: its worst cases are quadratic in one line. */
const LINE_MAX = 20_000

/** Parses the beginning of a text. */
export function parseMarkdown(source: string, most = MARKDOWN_MAX): MarkdownTree {
  const { text, leftOut } = cut(source.replaceAll('\r\n', '\n'), most)
  if (longestLine(text) > LINE_MAX || nesting(text) > DEPTH_MAX * 2) {
    return { blocks: [{ kind: 'code', text, language: '' }], leftOut }
  }
  const tokens = new Lexer({ gfm: true, breaks: true }).lex(text)
  return { blocks: blocksOf(tokens, 0), leftOut }
}

/** Returns the target of a link if it is one that the page may lead to. */
export function safeHref(href: string): string | undefined {
  let url: URL
  try {
    url = new URL(href)
  } catch {
    return undefined
  }
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
}

function longestLine(text: string): number {
  let longest = 0
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    longest = Math.max(longest, (end < 0 ? text.length : end) - from)
    if (end < 0) break
    from = end + 1
  }
  return longest
}

// Quotes and lists nest by what a line begins with, so the longest such beginning bounds the lexer's recursion.
function nesting(text: string): number {
  let deepest = 0
  for (const match of text.matchAll(/^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))+/gm)) {
    deepest = Math.max(deepest, match[0].replace(/[ \t\d]/g, '').length)
  }
  return deepest
}

function blocksOf(tokens: Token[], depth: number): Block[] {
  if (depth > DEPTH_MAX) return [plain(tokens)]
  return tokens.flatMap((token) => blockOf(token, depth))
}

function plain(tokens: Token[]): Block {
  return { kind: 'paragraph', inner: [{ kind: 'text', text: tokens.map((token) => token.raw).join('') }] }
}

function blockOf(token: Token, depth: number): Block[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return token.type === 'def' ? [plain([token])] : []
    case 'heading':
      return [{ kind: 'heading', level: token['depth'] as number, inner: inlinesOf(token.tokens, depth) }]
    case 'code':
      return [{ kind: 'code', text: token['text'] as string, language: (token['lang'] as string | undefined) ?? '' }]
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf(token.tokens ?? [], depth + 1) }]
    case 'list': {
      const list = token as Tokens.List
      const items = list.items.map((item): ListItem => {
        const blocks = blocksOf(
          item.tokens.filter((inner) => (inner.type as string) !== 'checkbox'),
          depth + 1,
        )
        return item.task ? { isDone: item.checked === true, blocks } : { blocks }
      })
      return [{ kind: 'list', isOrdered: list.ordered, start: list.start === '' ? 1 : list.start, items }]
    }
    case 'table': {
      const table = token as Tokens.Table
      return [
        {
          kind: 'table',
          align: table.align,
          head: table.header.map((cell) => inlinesOf(cell.tokens, depth)),
          rows: table.rows.map((row) => row.map((cell) => inlinesOf(cell.tokens, depth))),
        },
      ]
    }
    case 'hr':
      return [{ kind: 'rule' }]
    case 'html':
      return [{ kind: 'code', text: token.raw.trimEnd(), language: 'html' }]
    case 'paragraph':
    case 'text':
      return [{ kind: 'paragraph', inner: inlinesOf(token.tokens ?? [token], depth) }]
    default:
      return [plain([token])]
  }
}

function inlinesOf(tokens: Token[] | undefined, depth: number): Inline[] {
  if (!tokens) return []
  if (depth > DEPTH_MAX) return [{ kind: 'text', text: tokens.map((token) => token.raw).join('') }]
  return tokens.flatMap((token): Inline | Inline[] => {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return { kind: token.type, inner: inlinesOf(token.tokens, depth + 1) }
      case 'codespan':
        return { kind: 'code', text: token['text'] as string }
      case 'br':
        return { kind: 'break' }
      case 'link':
      case 'image': {
        const href = safeHref(token['href'] as string)
        const inner: Inline[] =
          token.type === 'image'
            ? [{ kind: 'text', text: `Image: ${(token['text'] as string) || (token['href'] as string)}` }]
            : inlinesOf(token.tokens, depth + 1)
        // Where it would not lead is shown as it was written, so that nothing is hidden behind a word.
        return href ? { kind: 'link', href, inner } : { kind: 'text', text: token.raw }
      }
      case 'escape':
        return { kind: 'text', text: token['text'] as string }
      case 'text':
        return token.tokens ? inlinesOf(token.tokens, depth + 1) : { kind: 'text', text: token['text'] as string }
      default:
        return { kind: 'text', text: token.raw }
    }
  })
}
