/**
 * Replies of `/api/v1`, written by hand until `types.ts` is printed from the schemas. Names and fields are those of the
 * runtime's replies; times are milliseconds since 1970, events are indices.
 */

export type Retry =
  | { kind: 'not_retryable' }
  | { kind: 'retryable_immediate' }
  | { kind: 'retryable_after_ms'; afterMs: number }

export interface Envelope {
  code: string
  message: string
  suggestion: string
  retry: Retry
  details?: unknown
}

export type RunStatus = 'in_progress' | 'blocked' | 'complete' | 'complete_with_gaps'

export interface WorkflowOutline {
  id: string
  hash: string
  name?: string
  stepTitles?: string[]
}

export interface StepPlace {
  stepId: string
  title: string
  number: number
  of: number
}

export interface Surroundings {
  branch?: string
  headSha?: string
  repoRoot?: string
}

export interface RunSummary {
  sessionId: string
  runId: string
  label: string
  title: string
  goal?: string
  workflow: WorkflowOutline
  step?: StepPlace
  status: RunStatus
  openGaps: number
  nodes: number
  tips: number
  surroundings: Surroundings
  startedAt: number
  activeAt: number
  tip: string
  activity: number
  recap?: string
}

/* Inbox */

export interface RunLine {
  label: string
  sessionId: string
  runId: string
  workflowId: string
  step?: number
  of: number
  turn?: number
}

export interface ShownList<Item> {
  items: Item[]
  leftOut: number
}

export interface Question {
  run: RunLine
  nodeId: string
  title: string
  since: number
  reason: string
  words?: string
  excerpt: string
}

export interface RunEntry {
  summary: RunSummary
  /** What it waits for or why it stopped, in a sentence. */
  reason?: string
  isWaiting: boolean
  isDemo?: boolean
  kept?: boolean
}

export interface TroubledSession {
  sessionId: string
  labels?: string[]
  trouble: Envelope
}

export interface UnloadedFile {
  path: string
  sourceKind: string
  problems: (SourceProblem | { reason: string })[]
}

export interface Inbox {
  questions: ShownList<Question>
  blocked: ShownList<RunSummary>
  gaps: ShownList<{ run: RunSummary; critical: number }>
  damaged: ShownList<TroubledSession>
  overlays: ShownList<{ overlay: string; over: string; changes: number }>
  unloaded: ShownList<UnloadedFile>
  configProblems?: { message: string }[]
  restart?: { restartNeeded: boolean }
  runsNotRead: number
  unavailable?: Envelope[]
}

export interface SettleRequest {
  /** The node that the question was seen at. The verdict counts for it alone. */
  node: string
  verdict: 'approve' | 'answer' | 'reject'
  words?: string
}

/* Runs */

export interface QueryTerm {
  from: number
  to: number
  kind: 'field' | 'text' | 'problem'
  message?: string
}

export interface FacetValue {
  value: string
  count: number
}

export interface Facet {
  field: string
  values: FacetValue[]
  leftOut: number
}

export interface RunPage {
  version: string
  total: number
  from: number
  runs: RunEntry[]
  facets: Facet[]
  terms: QueryTerm[]
}

export interface QueryField {
  name: string
  meaning: string
  values?: string[]
  operators: string[]
}

/* Run */

/** All nodes of a run, in columns. A node is its index, and a parent comes before its children. */
export interface RunShape {
  steps: { stepId: string; number: number; collapsed?: boolean }[]
  titles: string[]
  nodes: {
    id: string[]
    parent: (number | null)[]
    /** Index into `steps`; null at the end of a run. */
    step: (number | null)[]
    turn: (number | null)[]
    /** Index into `titles`. */
    title: (number | null)[]
    created: number[]
  }
  /** The attempts to leave nodes; one that was refused reached nothing. */
  attempts: { node: number[]; at: number[]; reached: (number | null)[] }
  waits: { node: number; from: number; until?: number; decision?: string }[]
  blocked: { node: number; count: number }[]
  openGaps: { node: number; count: number }[]
  bookmarks: number[]
  forks: number[]
  tips: number[]
  path: number[]
  preferredTip?: number
  unplaced: number
}

/** A run with its shape. Of a damaged session, both are those of its valid beginning. */
export interface ShapedRun {
  sessionId: string
  runId: string
  summary?: RunSummary
  kept: boolean
  shape: RunShape
  cursor?: unknown
  damage?: Envelope
}

export interface FieldDrift {
  field: string
  pinned?: unknown
  current?: unknown
}

export interface RunDrift {
  runId: string
  workflowId: string
  isDrifted: boolean
  drift?: {
    pinnedHash: string
    currentHash: string
    steps: { stepId: string; title: string; change: string; fields?: FieldDrift[] }[]
    fields: FieldDrift[]
  }
  valuesLeftOut: number
  missing?: Envelope
}

export interface Blocker {
  code: string
  pointer: unknown
  message: string
  suggestedFix?: string
}

export interface AttemptDetail {
  attemptId: string
  event: number
  at: number
  /** Absent if it was refused. */
  reached?: string
  blockers?: Blocker[]
}

export interface ArtifactShown {
  outputId: string
  digest: string
  bytes: number
  kind?: string
  content?: unknown
  unreadable?: string
}

export interface OutputShown {
  outputId: string
  event: number
  at: number
  kind: string
  digest: string
  headline?: string
  text?: string
  artifact?: ArtifactShown
  isSuperseded?: boolean
}

export interface PromptPiece {
  origin: string
  name?: string
  text: string
}

export interface OutputDetail {
  outputId: string
  event: number
  at: number
  attempt?: number
  supersedes?: string
  superseded: boolean
  notes?: string
  artifact?: ArtifactShown
}

export interface GapDetail {
  gap: { gapId: string; severity: 'info' | 'warning' | 'critical'; reason: unknown; summary: string; evidenceRefs?: unknown[] }
  event: number
  at: number
  isOpen: boolean
  resolvedBy?: string
}

export interface TraceDetail {
  event: number
  attempt?: number
  entries: { kind: string; summary: string; refs?: unknown[] }[]
}

export interface DecisionShown {
  decision: 'approved' | 'answered' | 'refused'
  text?: string
  by?: string
  event: number
  at: number
}

export interface StepDetail {
  sessionId: string
  runId: string
  label: string
  workflowId: string
  nodeId: string
  parentId?: string
  kind: string
  event: number
  createdAt: number
  isFork: boolean
  isPreferredTip: boolean
  step?: StepPlace
  turn?: number
  provenance?: { source: string; originId?: string }
  prompt?: PromptPiece[]
  promptBytesLeftOut: number
  outputContract?: unknown
  criteria?: unknown[]
  access?: unknown
  preferences: { autonomy: string; riskPolicy: string }
  attempts: ShownList<AttemptDetail>
  outputs: ShownList<OutputDetail>
  decisions: ShownList<DecisionShown>
  gaps: ShownList<GapDetail>
  trace: { collapsed: boolean; traces: ShownList<TraceDetail> }
  divergences: ShownList<{ event: number; at: number; divergence: { reason: string; summary: string } }>
  capabilities: { capability: string; enforced: string; shown: string }[]
  context: ShownList<{ key: string; value: unknown }>
  children: ShownList<string>
  damage?: Envelope
  unreadable?: Envelope
}

export interface StepWrites {
  nodeId: string
  written: WrittenThings
  notes?: string[]
}

export interface SessionEvent {
  eventIndex: number
  kind: string
  scope?: { runId: string; nodeId?: string }
  data: unknown
  timestampMs: number
}

export interface EventPage {
  sessionId: string
  events: SessionEvent[]
  next?: number
  total: number
  nodeId?: string
  damage?: Envelope
}

export type DiffSign = 'same' | 'removed' | 'added' | 'gap'

export interface DiffLine {
  sign: DiffSign
  text: string
}

export interface Written {
  kind: 'added' | 'modified' | 'deleted'
  by?: string
  before?: string
  after?: string
  diff?: DiffLine[]
  leftOut: number
}

export interface WrittenThings {
  keys?: (Written & { backpack: string; key: string })[]
  keysLeftOut: number
  files?: (Written & { path: string })[]
  filesLeftOut: number
  frames?: (Written & { path: string; frameType: string })[]
  framesLeftOut: number
}

export interface ChainLink {
  nodeId: string
  step?: string
  title?: string
  at: number
  outputs: OutputShown[]
  decisions?: DecisionShown[]
  records?: string[]
}

export interface NodeBlame {
  label: string
  workflowId: string
  nodeId: string
  chain: ChainLink[]
  leftOut: number
}

export interface RecapLine {
  text: string
  from?: { nodeId: string; outputId?: string; event: number; at: number }
}

export interface RecapBlame {
  nodeId: string
  lines: RecapLine[]
}

export interface Forked {
  label: string
  name: string
  nodeId: string
  step: string
  title: string
  wasLeft: boolean
  prompt: string
  command: string
}

export interface BranchSide {
  name: string
  nodeId?: string
  steps?: ChainLink[]
  written: WrittenThings
}

export interface Comparison {
  kind: string
  ancestor?: { name: string; step?: ChainLink; written: WrittenThings }
  left: BranchSide
  right: BranchSide
  outputs?: { step: string; artifact?: string; left?: string; right?: string; diff: DiffLine[]; leftOut: number }[]
  context?: { key: string; left?: unknown; right?: unknown }[]
  notes?: string[]
}

/* Workflows */

export interface SourceProblem {
  path: string
  code: string
  reason: string
  fix: string
}

export interface LocatedProblem extends SourceProblem {
  /** Lines and columns count from 1, in UTF-16 units. */
  range: { line: number; column: number; endColumn: number }
}

export interface WorkflowWarning {
  code: string
  subject: string
  message: string
}

export interface WorkflowEntry {
  workflowId: string
  name?: string
  description?: string
  whenToUse?: string
  tags?: string[]
  sourceKind: string
  idStatus: string
  workflowHash: string
  steps: number
  warnings?: WorkflowWarning[]
}

export interface ListedWorkflows {
  workflows: WorkflowEntry[]
  leftOut: number
  tags: string[]
  problems?: UnloadedFile[]
  shadowed?: { workflowId: string; path: string; by: string }[]
  configProblems?: { message: string }[]
  projectDir?: string
}

export interface SourceFile {
  workflowId?: string
  path?: string
  sourceKind: string
  isRoutine?: boolean
  isReadOnly: boolean
  text: string
  digest: string
  check: SourceCheck
  shadowed?: { workflowId: string; path: string; by: string }[]
}

export interface SourceCheck {
  isSound: boolean
  dialect?: string
  problems: LocatedProblem[]
  warnings: WorkflowWarning[]
  workflowId?: string
  workflowHash?: string
}

export type SaveOutcome =
  | { kind: 'saved'; path: string; digest: string; check: SourceCheck }
  | { kind: 'conflict'; path: string; digestRead?: string; digest?: string; text?: string; lines: DiffLine[]; linesLeftOut: number }
  | { kind: 'unsound'; check: SourceCheck }

export interface CompiledStep {
  stepId: string
  title: string
  requireConfirmation: boolean
  prompt: string
  additions: { featureId: string; contentDigest: string; bytes: number }[]
  outputContract?: { contractRef?: string }
  validationCriteria: unknown[]
  probe?: { capability: string }
  provenance: { source: 'authored' | 'template_injected' | 'feature_injected'; originId?: string }
  runCondition?: unknown
}

export type SequenceEntry = { kind: 'step'; stepId: string } | { kind: 'loop'; loopId: string }

export interface CompiledWorkflow {
  workflowId: string
  name?: string
  description?: string
  features: { featureId?: string }[]
  steps: CompiledStep[]
  sequence: SequenceEntry[]
  loops: { loopId: string; title?: string; conditionId: string; maxIterations: number; body: SequenceEntry[] }[]
}

export interface CompiledSource {
  workflowHash: string
  hashInputs: { part: string; bytes: number; digest: string }[]
  files: { path?: string; digest: string; isRoutine: boolean }[]
  workflow: CompiledWorkflow
  warning?: string
}

export interface StepStats {
  stepId: string
  title: string
  visits: number
  attempts: number
  refused: number
  refusals?: { code: string; reason: string; count: number }[]
  refusalsLeftOut: number
  spentMs: number
  spentMedianMs: number
  waitedMs: number
  gaps: number
  openGaps: number
  forks: number
  divergences: number
}

export interface WorkflowStats {
  workflowId: string
  runs: number
  completed: number
  versions: number
  steps: StepStats[]
  runsLeftOut: number
  unreadable: number
}

export interface CatalogueEntry {
  id: string
  kind: string
  label: string
  description: string
  insert: unknown
  place: string
}

export interface SourceCompletions {
  builtins: CatalogueEntry[]
  routines: string[]
  workflows: string[]
}

/* Backpacks */

export interface NodeIdentity {
  nodeId: string
  nodeName: string
  namespace?: string
}

export interface FlowRun {
  runId: string
  flow?: string
  digest: string
  status: string
  steps: number
  lastNode?: string
}

export interface BackpackLine {
  id: string
  short: string
  lastMs?: number
  keys: number
  commits: number
  origin?: unknown
  run?: FlowRun
}

export interface BackpackList {
  backpacks: BackpackLine[]
  troubled: { id: string; trouble: Envelope }[]
  leftOut: number
}

export interface ItemLine {
  key: string
  by: NodeIdentity
  timestampMs: number
  version: number
  tags?: string[]
  summary: string
  size: number
}

export interface BackpackState {
  backpack: string
  commit?: string
  items: ItemLine[]
  leftOut: number
}

export interface ValueShown {
  size: number
  text?: string
  leftOutBytes: number
  hidden?: string
}

export interface ItemShown extends ItemLine {
  backpack: string
  commit?: string
  value: ValueShown
}

export interface CommitLine {
  commit: string
  short: string
  timestampMs: number
  by: NodeIdentity
  action: string
  key: string
  version?: number
  size?: number
  summary: string
  replaced?: string
  refused?: string
  reason?: string
  abandoned: boolean
  provenance?: { session: string; run: string; node: string; step: string }
}

export interface BackpackLog {
  backpack: string
  commits: CommitLine[]
  older: number
  notes: number
}

export interface BackpackDiff {
  before: { backpack: string; commit?: string }
  after: { backpack: string; commit?: string }
  changes: {
    key: string
    kind: 'added' | 'modified' | 'deleted'
    by?: NodeIdentity
    before?: string
    after?: string
    diff: DiffLine[]
    leftOutLines: number
  }[]
  leftOut: number
}

export interface BackpackBlame {
  backpack: string
  lines: {
    key: string
    by: NodeIdentity
    timestampMs: number
    version: number
    size: number
    commit?: string
    summary: string
    provenance?: { session: string; run: string; node: string; step: string }
  }[]
  leftOut: number
}

export interface QuarantineList {
  backpack: string
  entries: {
    commit: string
    short: string
    timestampMs: number
    by: NodeIdentity
    key: string
    reason: string
    size: number
    value?: ValueShown
  }[]
  leftOut: number
}

export interface FlowGraph {
  backpack: string
  runId: string
  status: string
  nodes: {
    path: string
    parent?: string
    kind: string
    isStart: boolean
    state: 'not_visited' | 'finished' | 'current'
    visits: number
    condition?: string
  }[]
  edges: { from: string; to: string; condition: string; taken: number }[]
  leftOut: number
  olderVisits: number
}

/* Files */

export interface WorkspaceShown {
  prefix: string
  scope: string
  purpose: string
  store: string
  declaredBy: string
  overlayOver?: string
}

export interface FileMap {
  workspaces: WorkspaceShown[]
  notes: string[]
}

export interface ResolvedPath {
  path: string
  workspace: WorkspaceShown
  at: string
  hidden?: string
  tools: { tool: string; refused?: string }[]
}

export interface FileRecord {
  number: number
  timestampMs: number
  agent: string
  session?: string
  run?: string
  tool: string
  path: string
  target?: string
  before?: string
  after?: string
  outcome: string
  overlay?: string
}

export interface FileLog {
  records: FileRecord[]
  /** Where the next page begins. */
  next?: string
  searched: number
  damaged?: number
}

export interface OverlayChange {
  path: string
  kind: 'added' | 'modified' | 'deleted' | 'directory'
  changedBelow?: boolean
  added: number
  removed: number
  by?: FileRecord
  diff?: string
  /** The mark of what was seen; applying and dropping name it. */
  seen: string
}

export interface OverlayDiff {
  overlay: string
  over: string
  changes: OverlayChange[]
  leftOut: number
}

/* Context */

export interface FrameCounts {
  nodes: number
  fresh: number
  stale: number
  missing: number
  unchecked?: number
}

export interface LevelEntry {
  name: string
  path: string
  kind: 'file' | 'directory'
  size: number
  counts?: FrameCounts
}

export interface TreeLevel {
  path: string
  tree: number
  own: FrameCounts
  from: number
  entries: LevelEntry[]
  total: number
  unchecked?: string
}

export interface ViewedFrame {
  id: string
  path: string
  frameType: string
  agent: string
  made: string
  isFresh: boolean
  staleBecause?: string
  unchecked?: string
  isHead: boolean
  relation: string
  createdAtMs: number
  bytes: number
  content?: string
}

export interface NodeFrames {
  path: string
  frames: ViewedFrame[]
  leftOut: number
}

export interface ComposePreview {
  path: string
  maxTokens: number
  tokens: number
  frames: { frame: ViewedFrame; tokens: number; isIncluded: boolean; fitsAt?: number }[]
  leftOut: number
}

/* Settings */

export interface SettingShown {
  key: string
  value?: unknown
  applied?: unknown
  isApplied: boolean
  place: 'default' | 'user' | 'project' | 'environment'
  at?: string
  default?: unknown
  accepts: string
  names?: string[]
  variable: string
  inProject: boolean
  effect: 'live' | 'restart'
  meaning: string
}

export interface SettingsShown {
  userFile?: string
  projectFile?: string
  settings: SettingShown[]
  sections: { section: string; place: string; at: string; meaning: string }[]
  restartNeeded: boolean
  problems?: { message: string }[]
}

export interface CleanedUp {
  isRehearsal: boolean
  removed: string[]
  young: number
  kept: number
  spared: number
  blobs: { namespace: string; kept: number; removed: number; removedBytes: number }[]
  safeMode: boolean
}

/* Search */

export interface SearchHit {
  kind: 'run' | 'step' | 'artifact' | 'backpack' | 'file' | 'frame' | 'workflow'
  title: string
  /** Excerpt, with the positions of what matched. */
  excerpt: string
  marks: [number, number][]
  path: string
  at?: number
}

export interface SearchResults {
  query: string
  hits: SearchHit[]
  total: number
  leftOut: number
}

/* Shell */

export interface ConsoleStatus {
  person: string
  project?: string
  projects: { path: string; name: string }[]
  version: string
  canDemo: boolean
}

export interface SignedIn {
  secret: string
  name: string
}

/** A hint of the change stream: something moved; ask again. */
export interface Hint {
  scope: 'run' | 'backpack' | 'files' | 'context' | 'workflows' | 'settings' | 'lost'
  /** What moved: a session, a backpack, a Workspace. Absent when it is unknown or everything. */
  name?: string
  cursor?: string
}
