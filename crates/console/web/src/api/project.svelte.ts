/** The project that requests are about: the address names it, or the console's first one is meant. */

export const project = $state<{ chosen: string | undefined }>({ chosen: undefined })
