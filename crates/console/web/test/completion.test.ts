import { expect, test } from 'vitest'
import { proposals } from '../src/view/completion'

const known = {
  builtins: [{ kind: 'template', id: 'wr.templates.review', label: 'Review', description: 'Reviews.' }],
  routines: ['routine-a'],
  workflows: ['team.work'],
  stepFields: [
    { dialect: 'strict', fields: ['id', 'needsUser'] },
    { dialect: 'shipped', fields: ['id', 'runCondition'] },
  ],
  needsUserReasons: ['needs_user_choice'],
  needsUserChoices: ['scope_boundary'],
} as unknown as Parameters<typeof proposals>[1]

const labels = (path: string, isName: boolean, dialect?: 'strict' | 'shipped') =>
  proposals({ path: path.split('.').filter(Boolean), isName }, known, dialect).map((it) => it.label)

test('fields of a step and values of a field are proposed where they fit', () => {
  expect(labels('steps', true, 'strict')).toEqual(['id', 'needsUser'])
  expect(labels('steps.body', true)).toEqual(['id', 'needsUser', 'runCondition'])
  expect(labels('steps.needsUser', true)).toEqual(['reason', 'choice', 'question'])
  expect(labels('steps.needsUser.reason', false)).toEqual(['needs_user_choice'])
  expect(labels('steps.needsUser.choice', false)).toEqual(['scope_boundary'])
  expect(labels('', true)).toEqual([])
  expect(labels('steps.templateCall', false)).toEqual(['wr.templates.review', 'routine-a', 'team.work'])
})
