/**
 * Requests to `/api/v1`. Every one carries the secret of this browser; replies are kept with their ETags, so asking
 * again for what did not change costs a 304.
 *
 * In a run that was exported as one HTML file there is no server: replies come from the document.
 */
import { findReply } from './exported'
import { RequestFailure, failureOf, unreachable } from './failure'
import { project } from './project.svelte'
import type { ExportedRun } from './replies'

const BASE = '/api/v1'
const SECRET = 'piton-console'
/** Replies that are kept. A page needs a dozen; more only serves going back. */
const KEPT_MAX = 64

interface KeptReply {
  etag: string
  body: unknown
}

const kept = new Map<string, KeptReply>()

/** The run inside an exported document. */
export const embedded: ExportedRun | undefined = readEmbedded()

function readEmbedded(): ExportedRun | undefined {
  const block = typeof document === 'undefined' ? null : document.getElementById('piton-run')
  return block ? (JSON.parse(block.textContent) as ExportedRun) : undefined
}

export function readSecret(): string | undefined {
  return localStorage.getItem(SECRET) ?? undefined
}

export function keepSecret(secret: string): void {
  localStorage.setItem(SECRET, secret)
}

export function forgetSecret(): void {
  localStorage.removeItem(SECRET)
}

export function headers(): Record<string, string> {
  const secret = readSecret()
  return secret ? { 'Piton-Console': secret } : {}
}

export type Query = Record<string, string | number | boolean | undefined>

/** Returns the path of a request with its query, values that are absent left out, and the project that is chosen. */
export function pathOf(path: string, query: Query = {}): string {
  const pairs = Object.entries({ ...query, project: project.chosen }).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** Requests that were sent before the part of the page that needs them was there. */
const early = new Map<string, Promise<Response>>()

/** Sends a request whose reply will be asked for. */
export function ask(path: string): void {
  if (embedded || !readSecret()) return
  const reply = send(path, { headers: headers() })
  // Whoever asks for it is told what went wrong.
  reply.catch(() => {})
  early.set(path, reply)
}

/** Asks for a reply. The same object is returned as before if nothing changed, so nothing is drawn again. */
export async function get<Reply>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Reply> {
  const full = pathOf(path, query)
  if (embedded) {
    const reply = findReply(embedded, path, query)
    if (reply !== undefined) return reply as Reply
    const message = 'This is not part of the file.'
    const suggestion = 'Open the console of the machine that it came from.'
    throw new RequestFailure({ code: 'STORE_NOT_FOUND', message, suggestion, retry: { kind: 'not_retryable' } }, 404)
  }
  const known = kept.get(full)
  const init: RequestInit = { headers: { ...headers(), ...(known ? { 'If-None-Match': known.etag } : {}) } }
  if (signal) init.signal = signal
  const sent = early.get(full)
  early.delete(full)
  const reply = await (sent ?? send(full, init))
  if (reply.status === 304 && known) return known.body as Reply
  if (!reply.ok) throw await failureOf(reply)
  const body = (await reply.json()) as Reply
  const etag = reply.headers.get('etag')
  kept.delete(full)
  if (etag) kept.set(full, { etag, body })
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!)
  return body
}

/** Sends an act of a person. */
export async function post<Reply>(path: string, body: unknown = {}): Promise<Reply> {
  const init = { method: 'POST', headers: { ...headers(), 'Content-Type': 'application/json' } }
  const reply = await send(pathOf(path), { ...init, body: JSON.stringify(body) })
  if (!reply.ok) throw await failureOf(reply)
  return (await reply.json()) as Reply
}

/** Downloads content as a file. A link cannot carry the secret, so the bytes are fetched first. */
export async function download(path: string, name: string): Promise<void> {
  const reply = await send(pathOf(path), { headers: headers() })
  if (!reply.ok) throw await failureOf(reply)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await reply.blob())
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(BASE + path, { ...init, cache: 'no-store', credentials: 'same-origin' })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable()
  }
}
