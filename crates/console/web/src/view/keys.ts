/** The keyboard map: one key, or `g` and a letter. Keys that somebody types into a field are left alone. */

export interface KeyPress {
  key: string
  ctrl: boolean
  meta: boolean
  alt: boolean
  shift: boolean
  /** Whether it was typed into a field. */
  isTyped: boolean
  at: number
}

export interface KeyBinding {
  /** `j`, `Enter`, `mod+k`, `g r`. */
  keys: string
  /** What it does, in the list of keys. */
  does: string
  /** Set if it also counts while a field has the focus. */
  isGlobal?: boolean
  /** Set if it decides something: a key that is held down does it only once. */
  isAct?: boolean
  act: () => void
}

export interface KeyState {
  /** The first key of a sequence, and when it was pressed. */
  prefix?: { key: string; at: number }
}

/** A sequence is given up after this long. */
export const SEQUENCE_MS = 1200

/** Returns how a key press is written in a binding. */
export function nameOf(press: KeyPress): string {
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key
  const isUpper = press.shift && press.key.length === 1 && press.key !== key
  return (press.ctrl || press.meta ? 'mod+' : '') + (press.alt ? 'alt+' : '') + (isUpper ? 'shift+' : '') + key
}

/** Finds the binding that a key press completes. The last binding of the list wins: what was opened last is on top. */
export function match(
  state: KeyState,
  press: KeyPress,
  bindings: readonly KeyBinding[],
): { state: KeyState; binding?: KeyBinding } {
  const name = nameOf(press)
  const allowed = bindings.filter((binding) => !press.isTyped || binding.isGlobal)
  const prefix = state.prefix && press.at - state.prefix.at <= SEQUENCE_MS ? `${state.prefix.key} ` : ''
  const find = (keys: string) => allowed.findLast((binding) => binding.keys === keys)
  const whole = prefix ? find(prefix + name) : undefined
  if (whole) return { state: {}, binding: whole }
  if (allowed.some((binding) => binding.keys.startsWith(`${name} `))) {
    return { state: { prefix: { key: name, at: press.at } } }
  }
  const single = find(name)
  return single ? { state: {}, binding: single } : { state: {} }
}
