/**
 * A server for looking at the page: the built assets under the exact policy of the console, and replies from fixtures.
 * Not shipped. `node dev/server.mjs [port] [full|empty]`.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import * as data from './replies.mjs'

const ASSETS = join(import.meta.dirname, '../../assets')
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.txt': 'text/plain; charset=utf-8' }
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Starts the server; `scene` is `full` or `empty`. */
export function start(port, scene = 'full') {
  const world = data.world(scene)
  const streams = new Set()
  let number = 0
  const hint = (notice) => {
    number++
    for (const stream of streams) stream.write(`id: dev-${number}\nevent: change\ndata: ${JSON.stringify(notice)}\n\n`)
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost')
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    if (!url.pathname.startsWith('/api/v1/')) return asset(url.pathname, request, response)
    response.setHeader('Cache-Control', 'no-store')
    const path = url.pathname.slice('/api/v1'.length)
    if (path === '/enter') return json(request, response, 200, { secret: 'dev', name: 'mara' })
    if (request.headers['piton-console'] !== 'dev') return problem(response, 401, 'TOKEN_INVALID', 'This browser is not signed in.', 'Print a link with: piton console link')
    if (path === '/changes') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(': hello\n\n')
      streams.add(response)
      const beat = setInterval(() => response.write(': beat\n\n'), 15_000)
      request.on('close', () => {
        clearInterval(beat)
        streams.delete(response)
      })
      return undefined
    }
    let body = ''
    for await (const chunk of request) body += chunk
    try {
      const sent = body ? JSON.parse(body) : undefined
      const reply = data.reply(world, request.method, path, Object.fromEntries(url.searchParams), sent, hint)
      if (reply === undefined) return problem(response, 404, 'NOT_FOUND', `There is nothing at ${path}.`, 'Go back to the overview.')
      if (reply.bytes) {
        response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Security-Policy': 'sandbox' })
        return response.end(reply.bytes)
      }
      return json(request, response, 200, reply)
    } catch (error) {
      if (!error.envelope) console.error(error)
      const it = error.envelope ?? { code: 'INTERNAL_ERROR', message: String(error), suggestion: 'Look at the server.' }
      return problem(response, error.status ?? 500, it.code, it.message, it.suggestion)
    }
  })
  return new Promise((done) => server.listen(port, '127.0.0.1', () => done({ server, hint, world, streams })))
}

function asset(path, request, response) {
  let name = path.slice(1)
  let bytes
  try {
    bytes = readFileSync(join(ASSETS, name.includes('/') || name === '' ? 'index.html' : name))
  } catch {
    name = 'index.html'
    bytes = readFileSync(join(ASSETS, name))
  }
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`
  response.setHeader('ETag', etag)
  response.setHeader('Cache-Control', 'no-cache')
  if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
  response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? TYPES['.html'] })
  return response.end(bytes)
}

function json(request, response, status, reply) {
  const text = JSON.stringify(reply)
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`
  response.setHeader('ETag', etag)
  if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
  response.writeHead(status, { 'Content-Type': 'application/json' })
  return response.end(text)
}

function problem(response, status, code, message, suggestion) {
  response.writeHead(status, { 'Content-Type': 'application/problem+json' })
  response.end(JSON.stringify({ code, message, suggestion, retry: { kind: 'not_retryable' } }))
}

if (process.argv[1] === import.meta.filename) {
  const port = Number(process.argv[2] ?? 8123)
  await start(port, process.argv[3] ?? 'full')
  console.log(`http://127.0.0.1:${port}/enter#dev`)
}
