/** State of the shell that any page may use: keys, theme, messages, the time. */
import { embedded } from './api/client'
import { RequestFailure, unreachable } from './api/failure'
import type { Envelope } from './api/replies'
import { match, type KeyBinding, type KeyState } from './view/keys'

/* Keys: each component adds a layer while it is there; what was added last is asked first. */

const layers: { title: string; bindings: () => KeyBinding[] }[] = []
let keyState: KeyState = {}

/** Binds keys while the calling component exists. Call it while the component is created. */
export function useKeys(title: string, bindings: () => KeyBinding[]): void {
  $effect(() => {
    const layer = { title, bindings }
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
    }
  })
}

/** Returns every binding, for the list of keys. */
export function listKeys(): { title: string; bindings: KeyBinding[] }[] {
  return layers.map((layer) => ({ title: layer.title, bindings: layer.bindings() })).filter((it) => it.bindings.length)
}

export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  // A dialog has the keyboard for itself: Escape closes it, and not the page below too.
  if (document.querySelector('dialog[open]')) return
  const target = event.target as HTMLElement
  const isTyped =
    target.isContentEditable ||
    ['TEXTAREA', 'SELECT'].includes(target.tagName) ||
    (target.tagName === 'INPUT' && !['checkbox', 'radio', 'button', 'range'].includes((target as HTMLInputElement).type)) ||
    target.shadowRoot !== null
  // A focused button or link keeps Enter and Space for itself.
  const isOwn = (event.key === 'Enter' || event.key === ' ') && target.closest('button, a, summary, [role=tab]') !== null
  if (isOwn) return
  const { key, ctrlKey: ctrl, metaKey: meta, altKey: alt, shiftKey: shift } = event
  const press = { key, ctrl, meta, alt, shift, isTyped, at: event.timeStamp }
  const found = match(keyState, press, layers.flatMap((layer) => layer.bindings()))
  keyState = found.state
  if (!found.binding) return
  event.preventDefault()
  if (event.repeat && found.binding.isAct) return
  found.binding.act()
}

/* Theme */

export type Theme = 'system' | 'light' | 'dark'
const THEME = 'piton-theme'

export const theme = $state({ choice: readTheme() })
applyTheme()

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(THEME)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    // A file that is shown in a sandbox has no storage.
    return 'system'
  }
}

function applyTheme(): void {
  if (theme.choice === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.choice
}

export function chooseTheme(choice: Theme): void {
  theme.choice = choice
  applyTheme()
  try {
    if (choice === 'system') localStorage.removeItem(THEME)
    else localStorage.setItem(THEME, choice)
  } catch {
    // It holds until the file is closed.
  }
}

/* Messages */

export interface Toast {
  id: number
  text: string
  isFailure: boolean
  suggestion?: string
  link?: ToastLink
}

export interface ToastLink {
  href: string
  text: string
}

export const toasts = $state<Toast[]>([])
let toastId = 0

export function say(text: string, isFailure = false, suggestion?: string, link?: ToastLink): number {
  const id = ++toastId
  // The same thing is said once, however often it is tried.
  for (const same of toasts.filter((toast) => toast.text === text)) dismiss(same.id)
  toasts.push({ id, text, isFailure, ...(suggestion ? { suggestion } : {}), ...(link ? { link } : {}) })
  setTimeout(() => dismiss(id), isFailure ? 12_000 : 5000)
  return id
}

export function dismiss(id: number): void {
  const at = toasts.findIndex((toast) => toast.id === id)
  if (at >= 0) toasts.splice(at, 1)
}

/** Returns what went wrong with an act. */
export function envelopeOf(error: unknown): Envelope {
  return (error instanceof RequestFailure ? error : unreachable()).envelope
}

/** Says what went wrong with an act. */
export function sayFailure(error: unknown): void {
  const { message, suggestion } = envelopeOf(error)
  say(message, true, suggestion)
}

/* Time: ages on screen are counted from here, so they all change together. In an exported run it stands still. */

export const time = $state({ now: embedded?.exportedAt ?? Date.now() })
if (!embedded)
  setInterval(() => {
    if (document.visibilityState === 'visible') time.now = Date.now()
  }, 5000)

/** Copies a text and says so. */
export async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  say('Copied.')
}
