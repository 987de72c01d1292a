/** The wire format of server-sent events, read from a stream of text. Pure, so that any cut of the stream is tested. */

export interface StreamEvent {
  id?: string
  event: string
  data: string
}

/** Collects chunks and gives out the events that they complete. */
export class EventReader {
  #rest = ''
  #id: string | undefined
  #event = ''
  #data: string[] = []

  push(chunk: string): StreamEvent[] {
    const text = this.#rest + chunk
    const found: StreamEvent[] = []
    let from = 0
    for (;;) {
      const end = text.slice(from).search(/\r\n|\n|\r(?!$)/)
      if (end < 0) break
      const line = text.slice(from, from + end)
      from += end + (text.startsWith('\r\n', from + end) ? 2 : 1)
      const event = this.#line(line)
      if (event) found.push(event)
    }
    this.#rest = text.slice(from)
    return found
  }

  #line(line: string): StreamEvent | undefined {
    if (line === '') {
      const data = this.#data.join('\n')
      const event = { event: this.#event || 'message', data, ...(this.#id === undefined ? {} : { id: this.#id }) }
      const isEmpty = this.#data.length === 0
      this.#data = []
      this.#event = ''
      return isEmpty ? undefined : event
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }
}

/** Returns how long to wait before the next try: doubling up to 15 s, spread so that tabs do not come together. */
export function backoff(tries: number, random: number): number {
  const most = Math.min(15_000, 500 * 2 ** Math.min(tries, 10))
  return Math.round(most / 2 + (most / 2) * random)
}
