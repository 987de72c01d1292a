/** The addresses of pages. An address holds the selection, so a link shows what its sender saw. */

export const PAGES = ['overview', 'runs', 'workflows', 'backpacks', 'files', 'context', 'settings', 'enter'] as const
export type PageName = (typeof PAGES)[number]

export interface Route {
  page: PageName
  /** What the page shows: ids, as they stand in the path. */
  ids: string[]
  query: Record<string, string>
}

/** Reads an address. An unknown page is the overview: there is nothing to lose in a wrong link. */
export function parseRoute(path: string, search = ''): Route {
  const [first = '', ...ids] = path.split('/').filter(Boolean).map(decode)
  const page = PAGES.find((name) => name === first) ?? 'overview'
  return { page, ids: page === 'overview' ? [] : ids, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** Writes an address. Empty values are left out. */
export function formatRoute(route: Route): string {
  const path = route.page === 'overview' ? '/' : `/${[route.page, ...route.ids].map(encodeURIComponent).join('/')}`
  const query = new URLSearchParams(Object.entries(route.query).filter(([, value]) => value !== ''))
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
