/** The address bar as state. An exported file has no addresses of its own, so there the route lives in the fragment. */
import { embedded } from './api/client'
import { project } from './api/project.svelte'
import { formatRoute, parseRoute, type PageName, type Route } from './view/route'

const inFragment = embedded !== undefined

/** Reads the address. The project that it names holds for every request from now on. */
function current(): Route {
  const route = readAddress()
  project.chosen = route.query['project']
  return route
}

function readAddress(): Route {
  // The link that lets a browser in has its key in the fragment, where no server sees it.
  if (!inFragment && location.pathname === '/' && location.hash.length > 1) return parseRoute('/enter')
  if (!inFragment) return parseRoute(location.pathname, location.search)
  const [path = '', search = ''] = location.hash.slice(1).split('?')
  return parseRoute(path, search)
}

export const router = $state({ route: current() })

window.addEventListener(inFragment ? 'hashchange' : 'popstate', () => {
  router.route = current()
})

export function hrefOf(page: PageName, ids: string[] = [], query: Record<string, string> = {}): string {
  // A link stays in the project, unless it names one itself.
  const address = formatRoute({ page, ids, query: project.chosen === undefined ? query : { project: project.chosen, ...query } })
  return inFragment ? `#${address}` : address
}

export function go(href: string, replaces = false): void {
  if (inFragment && !href.startsWith('#')) return
  if (replaces) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  router.route = current()
}

/** Changes values of the address of this page; an empty one is taken away. */
export function select(values: Record<string, string | undefined>, replaces = true): void {
  const { page, ids, query } = router.route
  const next = { ...query }
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === '') delete next[key]
    else next[key] = value
  }
  go(hrefOf(page, ids, next), replaces)
}

/** Lets links within the console change the page without loading it again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  const link = (event.target as Element).closest('a')
  const href = link?.getAttribute('href')
  if (!link || !href || link.target || link.origin !== location.origin || !(href.startsWith('/') || href.startsWith('#/')))
    return
  event.preventDefault()
  go(href)
}
