/** States as shape, word and colour. Each is shown with all three, so none depends on seeing colour. */
import type { RunStatus } from '../api/replies'
import type { RunEntry } from './run'

export type State = 'progress' | 'waiting' | 'decided' | 'blocked' | 'complete' | 'gaps' | 'failed' | 'left'

export const WORDS: Record<State, string> = {
  progress: 'In progress',
  waiting: 'Waits for you',
  decided: 'Decided, waits for the agent',
  blocked: 'Blocked',
  complete: 'Complete',
  gaps: 'Complete with gaps',
  failed: 'Damaged',
  left: 'Other branch',
}

const OF_STATUS: Record<RunStatus, State> = {
  in_progress: 'progress',
  blocked: 'blocked',
  complete: 'complete',
  complete_with_gaps: 'gaps',
}

/** Returns the state of a run. Waiting for a person says more than being blocked by it. */
export function stateOfRun(run: RunEntry): State {
  return run.isWaiting ? 'waiting' : OF_STATUS[run.summary.status]
}
