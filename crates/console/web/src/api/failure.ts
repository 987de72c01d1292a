/** Failures of a request, always as an envelope: what is wrong, and what to do next. */
import type { Envelope } from './replies'

export class RequestFailure extends Error {
  constructor(
    readonly envelope: Envelope,
    /** The HTTP status; 0 if there was no answer. */
    readonly status: number,
  ) {
    super(envelope.message)
  }

  /** True if nothing answered: the process is gone or cannot be reached. */
  get isUnreachable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503
  }
}

function envelope(code: Envelope['code'], message: string, suggestion: string): Envelope {
  return { code, message, suggestion, retry: { kind: 'retryable_immediate' } }
}

/** Reads the failure from a reply that is no success. */
export async function failureOf(reply: Response): Promise<RequestFailure> {
  if (reply.headers.get('content-type')?.startsWith('application/problem+json')) {
    try {
      const found = (await reply.json()) as Partial<Envelope>
      if (typeof found.message === 'string') {
        const base = envelope('INTERNAL_ERROR', '', 'Try again.')
        return new RequestFailure({ ...base, ...found }, reply.status)
      }
    } catch {
      // What follows says as much as is known.
    }
  }
  const message = `The console answered with status ${reply.status}.`
  return new RequestFailure(envelope('INTERNAL_ERROR', message, 'Try again; then look at its log.'), reply.status)
}

export function unreachable(): RequestFailure {
  const message = 'The console does not answer. Nothing is lost; what you see is the last that it sent.'
  return new RequestFailure(envelope('UNAVAILABLE', message, 'Start it again: piton console'), 0)
}
