/**
 * The stream of hints, over `fetch` because it needs a header. It is closed while the page is hidden: six connections
 * per origin are all there are. What is missed is asked for with `Last-Event-ID`, and after `reset` everything is.
 */
import { embedded, headers } from './client'
import { EventReader, backoff } from './events'
import type { Hint } from './replies'

type Listener = (hint: Hint) => void

const listeners = new Set<Listener>()
let lastId: string | undefined
let running: AbortController | undefined
let held: Hint[] = []

/** What the shell shows about the stream. */
export const live = $state({
  isConnected: false,
  /** Set when a try failed, until one succeeds. */
  isLost: false,
  isPaused: false,
  /** Hints that wait while it is paused. */
  waiting: 0,
})

/** Calls back for each hint until the returned function is called. */
export function onHint(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function pause(isPaused: boolean): void {
  live.isPaused = isPaused
  if (isPaused) return
  const late = held
  held = []
  live.waiting = 0
  for (const hint of late) tell(hint)
}

/** Keeps the stream open while the page is visible. */
export function follow(): () => void {
  if (embedded) return () => {}
  const adjust = () => {
    if (document.visibilityState === 'visible') void run()
    else running?.abort()
  }
  document.addEventListener('visibilitychange', adjust)
  adjust()
  return () => {
    document.removeEventListener('visibilitychange', adjust)
    running?.abort()
  }
}

/** Has everything on screen asked for again. */
export function askAgain(): void {
  tell({ scope: 'lost' })
}

function tell(hint: Hint): void {
  for (const listener of listeners) listener(hint)
}

function receive(hint: Hint): void {
  if (!live.isPaused) return tell(hint)
  if (!held.some((known) => JSON.stringify(known) === JSON.stringify(hint))) held.push(hint)
  live.waiting = held.length
}

async function run(): Promise<void> {
  if (running && !running.signal.aborted) return
  const own = new AbortController()
  running = own
  for (let tries = 0; !own.signal.aborted; tries++) {
    try {
      const wasLost = live.isLost
      const since = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
      const reply = await fetch('/api/v1/changes', { headers: { ...headers(), ...since }, signal: own.signal })
      if (reply.status === 401 || reply.status === 403) {
        // Signed out: whatever is on screen finds out by asking.
        live.isConnected = false
        return tell({ scope: 'lost' })
      }
      if (!reply.ok || !reply.body) throw new Error(String(reply.status))
      live.isConnected = true
      live.isLost = false
      tries = 0
      if (wasLost) tell({ scope: 'lost' })
      await read(reply.body)
    } catch {
      // A lost stream is shown and tried again; there is nothing else to do about it.
    }
    live.isConnected = false
    if (own.signal.aborted) return
    live.isLost = tries > 0
    await new Promise((done) => setTimeout(done, backoff(tries, Math.random())))
  }
}

async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const events = new EventReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const event of events.push(decoder.decode(value, { stream: true }))) {
      if (event.id !== undefined) lastId = event.id
      if (event.event === 'reset') receive({ scope: 'lost' })
      else if (event.event === 'change') receive(JSON.parse(event.data) as Hint)
    }
  }
}
