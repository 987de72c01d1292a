import fc from 'fast-check'
import { expect, test } from 'vitest'
import { charactersBefore, complete, hasTerm, segments, termsOf, toggleTerm, words } from '../src/view/query'
import { besideTitle, score } from '../src/view/match'
import { codeParts, fileName } from '../src/view/text'
import { formatRoute, parseRoute } from '../src/view/route'
import { match, SEQUENCE_MS, type KeyBinding, type KeyPress } from '../src/view/keys'

test('segments joined are the line, whatever the server says', () => {
  const term = fc.record({
    from: fc.integer({ min: -5, max: 40 }),
    to: fc.integer({ min: -5, max: 40 }),
    kind: fc.constantFrom('field' as const, 'text' as const, 'problem' as const),
  })
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.array(term, { maxLength: 6 }), (line, terms) => {
      expect(segments(line, terms).map((segment) => segment.text).join('')).toBe(line)
    }),
  )
})

test('a quoted word is one word', () => {
  expect(words('a goal:"two words" b').map((word) => word.text)).toEqual(['a', 'goal:"two words"', 'b'])
})

test('toggling a term twice leaves it out', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]{0,20}$/), fc.stringMatching(/^[a-z_ ]{1,10}$/), (line, value) => {
      const on = toggleTerm(line, 'status', value)
      expect(hasTerm(on, 'status', value)).toBe(true)
      expect(hasTerm(toggleTerm(on, 'status', value), 'status', value)).toBe(false)
    }),
  )
})

test('values of one field are listed in one term, because a run has one of them', () => {
  const both = toggleTerm('status:blocked login', 'status', 'complete')
  expect(both).toBe('status:blocked,complete login')
  expect(hasTerm(both, 'status', 'blocked') && hasTerm(both, 'status', 'complete')).toBe(true)
  expect(toggleTerm(both, 'status', 'blocked')).toBe('status:complete login')
  expect(toggleTerm('-status:blocked', 'status', 'complete')).toBe('-status:blocked status:complete')
  expect(toggleTerm('branch:"a, b"', 'branch', 'a, b')).toBe('')
})

test('what stands between backticks is code', () => {
  const shown = (text: string) => codeParts(text).map((part) => (part.isCode ? `<${part.text}>` : part.text)).join('')
  expect(shown('Set `http.bind` to `127.0.0.1`.')).toBe('Set <http.bind> to <127.0.0.1>.')
  expect(shown('A `-` and a ` alone')).toBe('A <-> and a ` alone')
  expect(codeParts('')).toEqual([])
  fc.assert(fc.property(fc.string(), (text) => {
    expect(codeParts(text).map((part) => part.text).join('').replaceAll('`', '')).toBe(text.replaceAll('`', ''))
  }))
})

test('a position is short, and keeps its line', () => {
  expect(fileName('/home/me/.config/piton/config.toml:5:1')).toBe('config.toml:5')
  expect(fileName('PITON_LOG')).toBe('PITON_LOG')
})

test('an excerpt shows the match that its title does not', () => {
  const piece = (text: string) => ({ text: text.replaceAll('*', ''), isMatch: text.startsWith('*') })
  const shown = (title: string, ...texts: string[]) => besideTitle(title, texts.map(piece)).map((it) => it.text).join('')
  expect(shown('easy-lynx: fix the login', 'easy-lynx fix the ', '*login', ' again')).toBe('')
  expect(shown('a: Ship it', 'Ship it. Then we came to find ', '*retries', ' here')).toBe('…came to find retries here')
  expect(shown('a: login', '*login', ' and ', '*retries')).toBe('login and retries')
})

test('positions of the server count characters, those of the page count units', () => {
  const line = '😀 colour:red status:blocked'
  const [wrong, ...right] = termsOf(line, [{ start: 2, end: 12, message: 'no such field' }])
  expect(line.slice(wrong!.from, wrong!.to)).toBe('colour:red')
  expect(right.map((term) => term.kind)).toEqual(['text', 'field'])
  expect(charactersBefore(line, 2)).toBe(1)
  const done = complete('😀 st x', { start: 2, end: 4, text: 'status:' })
  expect(done).toEqual({ line: '😀 status: x', caret: 10 })
})

test('an address leads back to its route', () => {
  const route = fc.record({
    page: fc.constantFrom('runs' as const, 'workflows' as const, 'files' as const),
    ids: fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 2 }),
    query: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string({ minLength: 1, maxLength: 8 }), { maxKeys: 3 }),
  })
  fc.assert(
    fc.property(route, (it) => {
      const [path = '', search = ''] = formatRoute(it).split(/\?(.*)/s)
      expect(parseRoute(path, search)).toEqual({ ...it, query: { ...it.query } })
    }),
  )
  expect(parseRoute('/nowhere/at/all')).toEqual({ page: 'overview', ids: [], query: {} })
  expect(parseRoute('/runs/%E0%A4%A').ids).toEqual(['%E0%A4%A'])
})

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key, ctrl: false, meta: false, alt: false, shift: false, isTyped: false, at: 0, ...more,
})
const bindings: KeyBinding[] = ['g r', 'r', 'mod+k', '?', 'j', 'j'].map((keys, i) => ({
  keys, does: String(i), isGlobal: keys === 'mod+k', act: () => {},
}))

test('a sequence needs its first key, in time', () => {
  const first = match({}, press('g'), bindings)
  expect(first.binding).toBeUndefined()
  expect(match(first.state, press('r', { at: 10 }), bindings).binding?.keys).toBe('g r')
  expect(match(first.state, press('r', { at: SEQUENCE_MS + 1 }), bindings).binding?.keys).toBe('r')
})

test('keys typed into a field are left alone, but for global ones', () => {
  expect(match({}, press('j', { isTyped: true }), bindings).binding).toBeUndefined()
  expect(match({}, press('k', { ctrl: true, isTyped: true }), bindings).binding?.keys).toBe('mod+k')
  expect(match({}, press('?', { shift: true }), bindings).binding?.keys).toBe('?')
})

test('of two bindings of a key the last one counts', () => {
  expect(match({}, press('j'), bindings).binding?.does).toBe('5')
})

test('letters fit a name in their order, and beginnings of words fit best', () => {
  expect(score('rns', 'Runs')).toBeGreaterThan(0)
  expect(score('snr', 'Runs')).toBe(-1)
  expect(score('sb', 'Show blocked runs')).toBeGreaterThan(score('sb', 'classboard'))
})
