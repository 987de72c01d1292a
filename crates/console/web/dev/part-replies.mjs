/** Replies about workflows, backpacks, files, context and settings. */
export const world = () => ({})
export const reply = () => undefined
export const act = () => ({})
