/** The paths of `/api/v1`, in one place. Paths name ids, never labels. */

const part = encodeURIComponent

export const inbox = '/inbox'
export const status = '/status'
export const enter = '/enter'
export const leave = '/leave'
export const search = '/search'
export const demo = '/demo'
export const removeDemo = '/demo/remove'
export const runs = '/runs'
export const runCompletions = '/runs/completions'
export const workflows = '/workflows'
export const builtIns = '/workflows/built-ins'
export const checkWorkflow = '/workflows/check'
export const saveWorkflow = '/workflows/save'
export const copyWorkflow = '/workflows/copy'
export const backpacks = '/backpacks'
export const workspaces = '/workspaces'
export const resolvePath = '/workspaces/resolve'
export const fileLog = '/workspaces/log'
export const contextLevel = '/context/level'
export const contextFrames = '/context/frames'
export const composeContext = '/context/compose'
export const settings = '/settings'
export const retention = '/settings/retention'

export const run = (session: string, id: string, what: string) => `/sessions/${part(session)}/runs/${part(id)}/${what}`
export const step = (session: string, id: string, node: string) => run(session, id, `steps/${part(node)}`)
export const artifact = (digest: string) => `/artifacts/${part(digest)}/content`
export const session = (id: string, what: string) => `/sessions/${part(id)}/${what}`
export const workflow = (id: string, what: string) => `/workflows/${part(id)}/${what}`
export const backpack = (id: string, what: string) => `/backpacks/${part(id)}/${what}`
export const item = (id: string, key: string, what: string) => `/backpacks/${part(id)}/items/${part(key)}/${what}`
export const overlay = (prefix: string, what: string) => `/overlays/${part(prefix)}/${what}`
