/** The one place that pages import replies from. `types.ts` is printed from the schemas and takes over name by name. */
export type * from './provisional'
