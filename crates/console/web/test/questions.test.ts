import { expect, test } from 'vitest'
import type { Question } from '../src/api/replies'
import { headline, settled, settlementOf, withHeld } from '../src/view/questions'
import { clock } from '../src/view/time'

test('a goal is shown by its heading, else by its first line', () => {
  const check = (goal: string, expected: string) => expect(headline(goal)).toBe(expected)
  check('Ship the price fix', 'Ship the price fix')
  check('\n\n  Ship it  \nto Asia', 'Ship it')
  check('Read this first.\n## Ship the docs\nand tell the team', 'Ship the docs')
  check('#1 is broken', '#1 is broken')
  check('', '')
  check('x'.repeat(400), `${'x'.repeat(160)}…`)
  check('red \u001b[31mcolour', 'red ⟨ESC⟩[31mcolour')
})

const ask = (nodeId: string) => ({ nodeId }) as Question
const ids = (questions: Question[]) => questions.map((question) => question.nodeId)

test('a question that is held stays where it was when it is settled, and any other goes', () => {
  const all = ['a', 'b', 'c'].map(ask)
  const check = (open: string[], held: string[], expected: string[]) =>
    expect(ids(withHeld(all, open.map(ask), new Set(held)))).toEqual(expected)
  check(['a', 'b', 'c'], ['b'], ['a', 'b', 'c'])
  check(['a', 'c'], ['b'], ['a', 'b', 'c'])
  check(['a', 'c'], [], ['a', 'c'])
  check(['c'], ['a'], ['a', 'c'])
  check([], ['c'], ['c'])
  check(['d', 'a', 'c'], ['b'], ['d', 'b', 'a', 'c'])
  check(['a'], ['gone'], ['a'])
})

test('who decided what, and when, is read from a refusal', () => {
  const at = 1_763_500_000_000
  expect(settlementOf({ decision: 'approved', by: 'Ada', at, event: 7 })).toEqual({ decision: 'approved', by: 'Ada', at })
  expect(settlementOf({ decision: 'refused', by: null, at })).toEqual({ decision: 'refused', at })
  for (const other of [undefined, null, 'approved', {}, { decision: 'toString', at }, { decision: 'approved' }])
    expect(settlementOf(other)).toBeUndefined()
  expect(settled({ decision: 'answered', by: 'Ada', at })).toBe(`Answered by Ada at ${clock(at)}`)
  expect(settled({ decision: 'refused', at })).toBe(`Refused at ${clock(at)}`)
})
