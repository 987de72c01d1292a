/** Times in words. Numbers have units, and two units at most: nobody reads the seconds of a day. */

const UNITS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
]

/** Says how long something took: `420 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  const whole = Math.max(0, Math.round(ms))
  if (whole < 1000) return `${whole} ms`
  if (whole < 9950) return `${(whole / 1000).toFixed(1)} s`
  // Rounding first keeps `59.9 s` from becoming `60 s`.
  const seconds = Math.round(whole / 1000) * 1000
  const at = UNITS.findIndex(([length]) => seconds >= length)
  const [length, unit] = UNITS[at]!
  const count = Math.floor(seconds / length)
  const next = UNITS[at + 1]
  if (!next || (unit === 'd' && count >= 3)) return `${count} ${unit}`
  const rest = Math.floor((seconds - count * length) / next[0])
  return rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${next[1]}`
}

/** Says how long ago something was, in one unit: `now`, `40 s`, `12 min`, `3 h`, `5 d`. */
export function age(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  if (ms < 5000) return 'now'
  for (const [length, unit] of UNITS) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`
  return 'now'
}

const two = (number: number) => String(number).padStart(2, '0')

/** Returns the local date and time, sortable and without a locale: `2026-11-18 14:02:11`. */
export function dateTime(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return '–'
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(at)}`
}

/** Returns the local time of day: `14:02:11`. */
export function clock(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Returns the label of a tick, as exact as the distance between ticks asks for. */
export function tick(at: number, step: number): string {
  const date = new Date(at)
  if (step >= 86_400_000) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`
  if (step >= 60_000) return `${two(date.getHours())}:${two(date.getMinutes())}`
  if (step >= 1000) return clock(at)
  return `${clock(at)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** Returns a size in bytes: `812 B`, `4.1 kB`, `12 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = bytes / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** Returns a number with separators of thousands: `12,345`. */
export function count(number: number): string {
  return Math.round(number).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** Returns a count with its noun: `1 step`, `12 steps`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`
}
