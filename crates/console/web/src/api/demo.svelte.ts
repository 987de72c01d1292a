/** Runs that a scripted agent plays, for a person who has no agent at hand. */
import { get, post } from './client'
import * as routes from './routes'
import type { Deleted, DemoRun, DemoStatus } from './replies'

/** `workflowId` is that of demo runs; without one, there is no demo here. */
export const demo = $state<{ workflowId: string | undefined }>({ workflowId: undefined })

/** Asks which runs are demos. A console without a demo is as good as one that does not say. */
export async function loadDemo(): Promise<void> {
  try {
    demo.workflowId = (await get<DemoStatus>(routes.demo)).workflowId
  } catch {
    demo.workflowId = undefined
  }
}

export const isDemo = (workflowId: string): boolean => workflowId === demo.workflowId

/** Starts a demo run, unless one is being played: then that one is to be watched. */
export async function watchDemo(): Promise<DemoRun> {
  const { playing } = await get<DemoStatus>(routes.demo)
  return playing ?? (await post<DemoRun>(routes.demo))
}

/** Removes a demo run with everything that it left. */
export const removeDemo = (session: string): Promise<Deleted> => post<Deleted>(routes.removeDemo, { session })
