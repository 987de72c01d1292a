/** Everything beyond Overview and Runs, loaded when it is first opened. */
export { default as RunPeek } from '../part/RunPeek.svelte'
export { default as backpacks } from './Backpacks.svelte'
export { default as context } from './Context.svelte'
export { default as files } from './Files.svelte'
export { default as run } from './Run.svelte'
export { default as settings } from './Settings.svelte'
export { default as workflows } from './Workflows.svelte'
