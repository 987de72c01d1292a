//! Every limit of this crate, in one place.

/// The longest id of a flow node in bytes: it is part of namespaces and of what people read.
pub const NODE_ID_BYTES_MAX: usize = 64;

/// The longest action in bytes: a word or two.
pub const ACTION_BYTES_MAX: usize = 64;

/// The most nodes of one flow. A person cannot follow a tenth of it; generated flows may be this large.
pub const NODES_MAX: usize = 10_000;

/// The most edges of one flow: a few for each node.
pub const EDGES_MAX: usize = 40_000;

/// How deep flows may lie inside each other. Each level adds a segment to namespaces, which end at 256 bytes.
pub const DEPTH_MAX: usize = 8;

/// The most bytes of a flow's description.
pub const CONFIG_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The most problems that are told at once: nobody reads more, and a broken file can have one per line.
pub const PROBLEMS_MAX: usize = 100;

/// How many steps a run may take unless it is told otherwise: far above what a flow that makes progress needs,
/// and reached within seconds by one that does not.
pub const STEPS_DEFAULT: u64 = 10_000;

/// The most attempts at one exec. With the longest wait that is most of a day.
pub const ATTEMPTS_MAX: u32 = 100;

/// The longest wait between two attempts.
pub const WAIT_MS_MAX: u64 = 600_000;

/// The most items of one batch: their results are held at once.
pub const BATCH_ITEMS_MAX: usize = 100_000;

/// The longest note about a batch of flows in bytes, one long entry aside: far below what a history holds of a value.
pub const NOTE_BYTES_MAX: usize = 32 * 1024;

/// The most commits that one such note names, at 37 bytes each: less than half of it.
pub const CHANGES_NOTED_MAX: usize = 300;

/// How many items of a parallel batch are under way at once: more calls of a provider would only queue there.
pub const PARALLEL_MAX: usize = 64;

/// How many events wait for a subscriber that is slow. At a kilobyte each, a few megabytes.
pub const SUBSCRIPTION_EVENTS_MAX: usize = 4096;

/// The longest text of an event in bytes, such as the message of an error.
pub const EVENT_TEXT_BYTES_MAX: usize = 400;

/// The longest result of a tool in bytes of JSON: what still fits beside a conversation into a model.
pub const TOOL_RESULT_BYTES_MAX: usize = 1024 * 1024;

/// The most requests to models that one attempt keeps for the trace. A node makes one or two.
pub const TRACED_REQUESTS_MAX: usize = 64;

/// The longest prompt that a template gives, in bytes.
pub const PROMPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The most bytes of all prompts of a batch together: they are held at once.
pub const BATCH_PROMPTS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How many tools an agent calls before it has to answer, unless told otherwise.
pub const AGENT_CALLS_DEFAULT: u64 = 16;

/// How many ranges of abandoned commits a run remembers: one for each crash inside a node.
pub const ABANDONED_MAX: usize = 100;

/// Keys that the details of a failure list as missing, at 256 bytes each; its message names all.
pub const MISSING_NAMED_MAX: usize = 8;

/// Nodes that a refusal lists, so that a person finds the one they meant; the rest is counted.
pub const NODES_NAMED_MAX: usize = 20;
