/** Piton as a person and agents use it: a home, a project and a data directory of their own, and the real program. */
import { spawn, spawnSync, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Clock } from './clock'

/** The program that is tested. `cargo xtask` names it. */
const PROGRAM = process.env['PITON'] ?? ''
/** The revision of the protocol that agents speak. */
const PROTOCOL = '2025-11-25'
/** Longest time that one answer of the program may take on a busy machine. */
const PATIENCE_MS = 30_000

export class Piton {
  readonly home: string
  readonly project: string
  private readonly running: ChildProcess[] = []

  constructor(
    name = 'shop',
    readonly clock?: Clock,
  ) {
    if (!PROGRAM) throw new Error('PITON does not name the program; run `cargo xtask console`')
    this.home = mkdtempSync(join(tmpdir(), 'piton-browser-'))
    this.project = join(this.home, name)
    mkdirSync(this.project)
  }

  private get environment(): NodeJS.ProcessEnv {
    return { HOME: this.home, PATH: process.env['PATH'], ...this.clock?.environment }
  }

  /** Writes a file of the project. */
  write(path: string, text: string | object): void {
    const place = join(this.project, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, typeof text === 'string' ? text : `${JSON.stringify(text, null, 2)}\n`)
  }

  /** Runs a command that succeeds, and returns what it prints. */
  run(...words: string[]): string {
    return this.type('', ...words)
  }

  /** Runs a command with text on its standard input. */
  type(input: string, ...words: string[]): string {
    return this.other(PROGRAM, words, input)
  }

  /** Runs another program in the project. */
  other(program: string, words: string[], input = ''): string {
    const options = { cwd: this.project, env: this.environment, input, encoding: 'utf8', timeout: PATIENCE_MS } as const
    const done = spawnSync(program, words, options)
    if (done.status !== 0) throw new Error(`${program} ${words.join(' ')}: ${done.error ?? ''}${done.stderr}${done.stdout}`)
    return done.stdout
  }

  private start(words: string[], variables: Record<string, string> = {}): ChildProcessWithoutNullStreams {
    const child = spawn(PROGRAM, words, { cwd: this.project, env: { ...this.environment, ...variables } })
    this.running.push(child)
    return child
  }

  /** Starts a console, which ends with its standard input, and returns where it is. */
  async console(port = 0): Promise<ConsoleProcess> {
    const child = this.start(['console', '--beside', '--port', String(port)])
    const lines = createInterface({ input: child.stdout })
    let trouble = ''
    child.stderr.on('data', (text) => (trouble += text))
    const line = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('close', () => reject(new Error(`the console ended: ${trouble}`)))
    })
    return new ConsoleProcess(child, (JSON.parse(line) as { url: string }).url)
  }

  /** Makes a link that lets one browser in. */
  link(): string {
    return (JSON.parse(this.run('console', 'link', '--json')) as { link: string }).link
  }

  /** Connects an agent over `piton mcp`. */
  async agent(variables: Record<string, string> = {}): Promise<Agent> {
    const agent = new Agent(this.start(['mcp'], variables), this.clock)
    await agent.connect()
    return agent
  }

  /** Ends what still runs, and removes everything. */
  end(): void {
    for (const child of this.running) child.kill('SIGKILL')
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export class ConsoleProcess {
  constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGKILL')
    await ended
  }
}

/** What a step was given: the parts that the script of an agent needs. */
export interface StepReply {
  kind: string
  run: { label: string; sessionId: string; runId: string }
  pending?: { stepId: string; title: string; prompt: string }
  nextCall?: { params: { ackToken: string } }
  stateToken: string
  blockers?: { blockers: { message: string }[] }
}

/** An agent: a client of `piton mcp` over standard input and output. */
export class Agent {
  private last = 0
  private readonly open = new Map<number, (reply: { result?: never; error?: unknown }) => void>()

  constructor(
    private readonly server: ChildProcessWithoutNullStreams,
    private readonly clock?: Clock,
  ) {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const reply = JSON.parse(line)
      this.open.get(reply.id)?.(reply)
      this.open.delete(reply.id)
    })
    // Its warnings are of no use here, and a full pipe would stop it.
    server.stderr.resume()
  }

  async connect(): Promise<void> {
    const clientInfo = { name: 'scripted-agent', version: '1' }
    await this.ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo })
    this.send({ method: 'notifications/initialized' })
  }

  private send(message: object): void {
    this.server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  private ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.last
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered`)), PATIENCE_MS)
      this.open.set(id, ({ result, error }) => {
        clearTimeout(late)
        if (error) reject(new Error(`${method}: ${JSON.stringify(error)}`))
        else resolve(result ?? {})
      })
      this.send({ id, method, params })
    })
  }

  /** Calls a tool, and returns its structured answer; a refusal is an error. */
  async call<Reply = StepReply>(name: string, input: object): Promise<Reply> {
    this.clock?.pass()
    const reply = await this.ask('tools/call', { name, arguments: input })
    if (reply['isError']) throw new Error(`${name}: ${JSON.stringify(reply['content'])}`)
    return reply['structuredContent'] as Reply
  }

  /** Starts a run. */
  start(workflowId: string, goal: string, context: object = {}): Promise<StepReply> {
    return this.call('start_workflow', { workflowId, goal, context })
  }

  /** Submits the output of the pending step. */
  submit(from: StepReply, notesMarkdown: string, artifacts: object[] = []): Promise<StepReply> {
    const output = { ...(notesMarkdown ? { notesMarkdown } : {}), ...(artifacts.length ? { artifacts } : {}) }
    return this.call('continue_workflow', { ackToken: tokenOf(from), label: from.run.label, output })
  }

  /** Comes back to a step that was left already: what is submitted there begins a branch. */
  comeBack(to: StepReply): Promise<StepReply> {
    return this.call('continue_workflow', { stateToken: to.stateToken, label: to.run.label })
  }

  /** Leaves; its server ends with the pipe. */
  leave(): void {
    this.server.stdin.end()
  }
}

/** The token of the pending step. */
export function tokenOf(reply: StepReply): string {
  const token = reply.nextCall?.params.ackToken
  if (!token) throw new Error(`no step is pending: ${JSON.stringify(reply)}`)
  return token
}

/** The node that a reply stands at. */
export function nodeOf(reply: StepReply): string {
  const payload = reply.stateToken.split('.')[2] ?? ''
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { nodeId: string }).nodeId
}
