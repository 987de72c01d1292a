import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findReply } from '../src/api/exported'
import type { EventPage, ExportedRun, SessionEvent, ShapedRun, StepDetail } from '../src/api/replies'
import * as routes from '../src/api/routes'

const event = (eventIndex: number, nodeId?: string) =>
  ({ eventIndex, kind: 'output_recorded', scope: { runId: 'run_1', nodeId } }) as unknown as SessionEvent

const run: ExportedRun = {
  sessionId: 'sess_1',
  runId: 'run_1',
  label: 'amber-otter',
  exportedAt: 0,
  shape: { runId: 'run_1' } as unknown as ShapedRun,
  steps: { node_1: { detail: { nodeId: 'node_1' } as unknown as StepDetail } },
  events: [event(0), event(1, 'node_1'), { ...event(2), kind: 'edge_created', data: { toNodeId: 'node_1' } } as SessionEvent],
  omissions: [],
}

test('what the document has is found by the path that a page asks for', () => {
  expect(findReply(run, routes.run('sess_1', 'run_1', 'shape'), {})).toBe(run.shape)
  expect(findReply(run, routes.step('sess_1', 'run_1', 'node_1'), {})).toBe(run.steps['node_1']!.detail)
})

test('what it does not have is nothing', () => {
  for (const path of ['/inbox', routes.run('sess_1', 'run_2', 'shape'), `${routes.step('sess_1', 'run_1', 'node_1')}/writes`])
    expect(findReply(run, path, {})).toBeUndefined()
  for (const node of ['node_2', 'toString', '__proto__'])
    expect(findReply(run, routes.run('sess_1', 'run_1', 'recap'), { node })).toBeUndefined()
})

test('events of a node are those on it and the edge to it', () => {
  const page = findReply(run, routes.session('sess_1', 'events'), { node: 'node_1' }) as EventPage
  expect(page.events.map((it) => it.eventIndex)).toEqual([1, 2])
})

test('every event is on one page', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 9 }), (total, limit) => {
      const events = Array.from({ length: total }, (_, i) => event(i * 2))
      const seen: number[] = []
      let from: number | undefined = 0
      while (from !== undefined) {
        const query = { from, limit }
        const page = findReply({ ...run, events }, routes.session('sess_1', 'events'), query) as EventPage
        seen.push(...page.events.map((it) => it.eventIndex))
        from = page.next
      }
      expect(seen).toEqual(events.map((it) => it.eventIndex))
    }),
  )
})
