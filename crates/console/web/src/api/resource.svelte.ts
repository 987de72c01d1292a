/** Something that a page shows and keeps current: asked for once, and again when a hint says that it moved. */
import { RequestFailure, unreachable } from './failure'
import { onHint } from './changes.svelte'
import { get, type Query } from './client'
import { project } from './project.svelte'
import type { Hint } from './replies'

/** A skeleton appears only after this long: a flash of grey is worse than a short wait. */
const SKELETON_MS = 150

export class Resource<Reply> {
  value = $state.raw<Reply | undefined>()
  failure = $state.raw<RequestFailure | undefined>()
  isLoading = $state(false)
  /** Set when there is nothing to show yet and the wait became noticeable. */
  isSlow = $state(false)
  #request: AbortController | undefined
  #asked: { path: string; query: Query; of: string | undefined } | undefined

  /** Asks for the reply at a path. What was shown stays while the same thing is asked for again. */
  async load(path: string, query: Query = {}, keeps = false): Promise<void> {
    const of = project.chosen
    if ((this.#asked?.path !== path && !keeps) || this.#asked?.of !== of) this.value = undefined
    this.#asked = { path, query, of }
    this.#request?.abort()
    const own = new AbortController()
    this.#request = own
    this.isLoading = true
    const slow = setTimeout(() => {
      if (this.#request === own) this.isSlow = this.value === undefined
    }, SKELETON_MS)
    try {
      const reply = await get<Reply>(path, query, own.signal)
      if (this.#request !== own) return
      this.value = reply
      this.failure = undefined
    } catch (error) {
      if (this.#request !== own || own.signal.aborted) return
      this.failure = error instanceof RequestFailure ? error : unreachable()
    } finally {
      clearTimeout(slow)
      if (this.#request === own) {
        this.isLoading = false
        this.isSlow = false
      }
    }
  }

  async reload(): Promise<void> {
    if (this.#asked) await this.load(this.#asked.path, this.#asked.query, true)
  }

  clear(): void {
    this.#request?.abort()
    this.#asked = undefined
    this.value = undefined
    this.failure = undefined
  }
}

/**
 * Creates a resource for a component: loads what `ask` returns whenever that or its version changes, and again after a
 * hint that `concerns` it. Must be called while the component is created.
 */
export function useResource<Reply>(
  ask: () => { path: string; query?: Query; version?: string } | undefined,
  concerns: (hint: Hint) => boolean = () => false,
  keeps = false,
): Resource<Reply> {
  const resource = new Resource<Reply>()
  let last = ''
  $effect(() => {
    const asked = ask()
    const key = JSON.stringify([asked, project.chosen])
    if (key === last) return
    last = key
    if (asked) void resource.load(asked.path, asked.query, keeps)
    else resource.clear()
  })
  // Hints come in bursts while an agent works; one request in a quarter of a second shows as much.
  let timer: ReturnType<typeof setTimeout> | undefined
  $effect(() => {
    const stop = onHint((hint) => {
      if (hint.scope !== 'lost' && !concerns(hint)) return
      timer ??= setTimeout(() => {
        timer = undefined
        void resource.reload()
      }, 80)
    })
    return () => {
      stop()
      clearTimeout(timer)
      timer = undefined
    }
  })
  return resource
}

/** Asks again for a list of runs until the console, which may have just started, has read all of them. */
export function reloadUntilCaughtUp(list: Resource<{ isCaughtUp: boolean }>): void {
  $effect(() => {
    if (list.value?.isCaughtUp !== false) return
    const timer = setInterval(() => void list.reload(), 500)
    return () => clearInterval(timer)
  })
}
