/** The one place that pages import replies from. */
export type * from './provisional'
