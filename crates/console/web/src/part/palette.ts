/** Colours for canvases, which do not know style sheets. Read once for each theme. */

const TOKENS = ['ground', 'raised', 'sunk', 'line', 'text', 'second', 'third', 'accent', 'progress', 'waiting', 'blocked', 'complete', 'gaps', 'failed', 'left'] as const
export type Palette = Record<(typeof TOKENS)[number], string>

let known: { key: string; palette: Palette } | undefined

export function palette(): Palette {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const key = `${document.documentElement.dataset['theme'] ?? 'system'}-${isDark}`
  if (known?.key === key) return known.palette
  // `light-dark()` is resolved for a property of an element, not for the variable itself.
  const probe = document.createElement('span')
  document.body.append(probe)
  const found = {} as Palette
  for (const token of TOKENS) {
    probe.style.color = `var(--${token})`
    found[token] = getComputedStyle(probe).color
  }
  probe.remove()
  known = { key, palette: found }
  return found
}
