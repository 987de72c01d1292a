/** Replies inside the document of an exported run, found by what a page asks the console for. */
import type { EventPage, ExportedRun, SessionEvent } from './replies'
import * as routes from './routes'

/** Returns the reply at a path; nothing if it is not part of the document. */
export function findReply(run: ExportedRun, path: string, query: Record<string, unknown>): unknown {
  const { sessionId: session, runId: id } = run
  if (path === routes.run(session, id, 'shape')) return run.shape
  if (path === routes.session(session, 'events')) return events(run, query)
  if (path === routes.run(session, id, 'recap')) return run.steps[String(query['node'])]?.recap
  for (const [node, step] of Object.entries(run.steps)) {
    const at = routes.step(session, id, node)
    if (path === at) return step.detail
    if (path === `${at}/writes`) return step.writes
  }
  return undefined
}

function events(run: ExportedRun, query: Record<string, unknown>): EventPage {
  const { node, from = 0, limit = 100 } = query as { node?: string; from?: number; limit?: number }
  const wanted = run.events.filter((event) => event.eventIndex >= from && (node === undefined || isAbout(event, node)))
  const page: EventPage = { sessionId: run.sessionId, events: wanted.slice(0, limit), total: run.events.length }
  const next = wanted[limit]
  return next ? { ...page, next: next.eventIndex } : page
}

/** True if an event is about a node: recorded on it, or the edge that leads to it. */
function isAbout(event: SessionEvent, node: string): boolean {
  const scope = 'scope' in event ? (event.scope as { nodeId?: string }) : {}
  return scope.nodeId === node || (event.kind === 'edge_created' && event.data.toNodeId === node)
}
