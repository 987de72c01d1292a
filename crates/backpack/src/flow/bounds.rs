//! All limits of this crate, in one place.

/// Maximum size of a flow node's id in bytes: it is part of namespaces and of texts that people read.
pub const NODE_ID_BYTES_MAX: usize = 64;

/// Maximum size of an action in bytes: a word or two.
pub const ACTION_BYTES_MAX: usize = 64;

/// Maximum number of nodes in one flow. A person cannot follow a tenth of it; generated flows may be this large.
pub const NODES_MAX: usize = 10_000;

/// Maximum number of edges in one flow: a few for each node.
pub const EDGES_MAX: usize = 40_000;

/// Maximum nesting depth of flows. Each level adds a segment to namespaces, which end at 256 bytes.
pub const DEPTH_MAX: usize = 8;

/// Maximum size of a flow's description in bytes.
pub const CONFIG_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum number of problems reported at once: nobody reads more, and a broken file can have one per line.
pub const PROBLEMS_MAX: usize = 100;

/// Default number of steps that a run may take: far above what a flow that makes progress needs, and reached within
/// seconds by one that does not.
pub const STEPS_DEFAULT: u64 = 10_000;

/// Maximum number of attempts at one exec. With the longest wait, that is most of a day.
pub const ATTEMPTS_MAX: u32 = 100;

/// Maximum wait between two attempts in milliseconds.
pub const WAIT_MS_MAX: u64 = 600_000;

/// Maximum number of items in one batch: their results are held at once.
pub const BATCH_ITEMS_MAX: usize = 100_000;

/// Maximum size in bytes of a note about a batch of flows, apart from one long entry: far below the largest value that
/// a history holds.
pub const NOTE_BYTES_MAX: usize = 32 * 1024;

/// Maximum number of commits that one such note names. At 37 bytes each, that is less than half of it.
pub const CHANGES_NOTED_MAX: usize = 300;

/// Maximum number of items of a parallel batch in progress at once: further calls would only queue at the provider.
pub const PARALLEL_MAX: usize = 64;

/// Maximum number of events that wait for a slow subscriber. At a kilobyte each, that is a few megabytes.
pub const SUBSCRIPTION_EVENTS_MAX: usize = 4096;

/// Maximum size in bytes of a text in an event, such as the message of an error.
pub const EVENT_TEXT_BYTES_MAX: usize = 400;

/// Maximum size of a tool's result in bytes of JSON: as much as still fits into a model beside a conversation.
pub const TOOL_RESULT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of model requests that one attempt keeps for the trace. A node makes one or two.
pub const TRACED_REQUESTS_MAX: usize = 64;

/// Maximum size in bytes of a prompt that a template renders.
pub const PROMPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum size in bytes of all prompts of a batch together: they are held at once.
pub const BATCH_PROMPTS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Default number of tool calls after which an agent has to answer.
pub const AGENT_CALLS_DEFAULT: u64 = 16;

/// Maximum number of ranges of abandoned commits that a run remembers: one for each crash inside a node.
pub const ABANDONED_MAX: usize = 100;

/// Maximum number of missing keys, at 256 bytes each, in the details of a failure. Its message names all of them.
pub const MISSING_NAMED_MAX: usize = 8;

/// Maximum number of nodes that a refusal lists, so that a person finds the one they meant. The rest are counted.
pub const NODES_NAMED_MAX: usize = 20;
