/** The one place that pages import replies from: `types.ts`, which is printed from the schemas, and what it cannot say. */
import type { ChangeNotice, Code, Envelope as CodedEnvelope, RecapBlame, SessionEvent, ShapedRun, StepDetail, StepWrites } from './types'

export type * from './types'

/** The beginning of a list, and how many entries are missing. */
export interface ShownList<Item> {
  items: Item[]
  leftOut: number
}

/** An error of the console, or one that the page itself finds: then nothing answered. */
export interface Envelope extends Omit<CodedEnvelope, 'code'> {
  code: Code | 'UNAVAILABLE'
}

/** A hint of the change stream: something moved; ask again. After `lost`, anything may have. */
export type Hint = ChangeNotice | { scope: 'lost'; name?: undefined }

/** A run inside the one HTML file that it was exported to. */
export interface ExportedRun {
  sessionId: string
  runId: string
  label: string
  exportedAt: number
  shape: ShapedRun
  /** By node. What there was no room for is missing. */
  steps: Record<string, { detail: StepDetail; writes?: StepWrites; recap?: RecapBlame }>
  events: SessionEvent[]
  /** What is left out or replaced, each in a sentence. */
  omissions: { kind: string; count: number; text: string }[]
}
