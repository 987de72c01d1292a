//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit is part of a format; raising one is safe, lowering one makes data that was
//! written before unreadable.

/// The longest id that an author gives (step, loop, condition, context key), in bytes.
///
/// Authors write a few words. Ids of expanded steps join several such ids, so there is room for some
/// of them; a decision trace must still be able to quote one whole within its 512 bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// How many loops may lie inside each other.
///
/// Each level multiplies the work of the one around it, so a workflow that people can follow has two
/// or three. The limit bounds the length of a step instance key.
pub const LOOP_DEPTH_MAX: usize = 8;

/// The largest iteration of a loop, counted from zero.
///
/// A loop turns once per reply of an agent, so a million turns are out of reach. Six digits keep a
/// step instance key short.
pub const ITERATION_MAX: u32 = 999_999;

/// The digits of [`ITERATION_MAX`].
const ITERATION_DIGITS_MAX: usize = (ITERATION_MAX.ilog10() + 1) as usize;

/// The longest step instance key in bytes: every loop as `loop@iteration` and one more byte that
/// joins it to what follows, the second `:` before the step, and the step.
pub const STEP_INSTANCE_KEY_BYTES_MAX: usize =
    LOOP_DEPTH_MAX * (NAME_BYTES_MAX + 1 + ITERATION_DIGITS_MAX + 1) + 1 + NAME_BYTES_MAX;

/// The longest token in bytes. A state token, the longest of the three kinds, has about 400; the rest
/// is room for a later field. The limit stops a wrong paste before anything is decoded.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// The longest short token in bytes: short enough to stand in a sentence and to be copied whole.
pub const SHORT_TOKEN_BYTES_MAX: usize = 40;

/// The largest count of nodes that a short token holds. A node takes a reply of an agent, so a session
/// with a million nodes is out of reach; if there is one, its later nodes have long tokens only.
pub const SHORT_TOKEN_NODE_MAX: u32 = 999_999;

/// The largest count of attempts on one node that a short token holds. An agent that fails ten thousand
/// times at one step is stuck; its later tokens are long.
pub const SHORT_TOKEN_ATTEMPT_MAX: u32 = 9_999;

/// The kind, 8 characters of the session, 16 of the signature and 4 hyphens, and the two counts.
const _: () = {
    let digits = SHORT_TOKEN_NODE_MAX.ilog10() + 1 + SHORT_TOKEN_ATTEMPT_MAX.ilog10() + 1;
    assert!(2 + 8 + 16 + 4 + digits as usize == SHORT_TOKEN_BYTES_MAX);
};

/// The most completed steps that a snapshot holds. A step takes a reply of an agent, so this is days of
/// work without a pause; every snapshot repeats the whole set, so it must not grow without end.
pub const COMPLETED_STEPS_MAX: usize = 16_384;

/// The longest title of a step in bytes: one line.
pub const STEP_TITLE_BYTES_MAX: usize = 1024;

/// The longest rendered prompt in bytes. No agent reads a megabyte of instructions; a prompt may quote
/// the whole context of a run, which is a quarter of that.
pub const RENDERED_PROMPT_BYTES_MAX: usize = 1024 * 1024;

/// How much of what a parser says about a damaged snapshot is kept: it may quote the snapshot.
pub const SNAPSHOT_PROBLEM_BYTES_MAX: usize = 256;

/// The largest snapshot fits into a blob: its keys in quotes, its texts with every byte escaped, and
/// room for the rest.
const _: () = {
    let keys = COMPLETED_STEPS_MAX * (STEP_INSTANCE_KEY_BYTES_MAX + 3);
    let texts = 6 * (RENDERED_PROMPT_BYTES_MAX + STEP_TITLE_BYTES_MAX);
    assert!(keys + texts + 65_536 <= piton_store::bounds::BLOB_BYTES_MAX);
};

/// The longest notes of a step in bytes; longer ones are cut. Part of the event format.
///
/// Notes say what happened and what comes next. What is longer is an artifact.
pub const NOTES_BYTES_MAX: usize = 4096;

/// The longest summary of a gap, a divergence or an entry of a decision trace, in bytes: a paragraph.
pub const SUMMARY_BYTES_MAX: usize = 512;

/// How many blockers a report holds. An agent that is told more than ten things at once mends none.
pub const BLOCKERS_MAX: usize = 10;

/// The longest message of a blocker in bytes.
pub const BLOCKER_MESSAGE_BYTES_MAX: usize = 512;

/// The longest suggested fix of a blocker in bytes: twice its message, because it may hold an example.
pub const SUGGESTED_FIX_BYTES_MAX: usize = 1024;

/// How many pieces of evidence a gap names.
pub const EVIDENCE_REFS_MAX: usize = 10;

/// How many entries a decision trace holds; an advance makes a handful.
pub const TRACE_ENTRIES_MAX: usize = 25;

/// How many things an entry of a decision trace refers to.
pub const TRACE_REFS_MAX: usize = 10;

/// The largest decision trace in bytes of canonical JSON. Nothing depends on a trace, so it must not
/// outgrow what something depends on.
pub const TRACE_BYTES_MAX: usize = 8192;

/// The longest observed name in bytes, such as that of a branch.
pub const SHORT_STRING_BYTES_MAX: usize = 80;

/// The longest observed path in bytes.
pub const OBSERVED_PATH_BYTES_MAX: usize = 512;

/// The largest context of a run in bytes of canonical JSON (256 KiB). An append holds at most 4 MiB, so
/// a context never fills one alone.
pub const CONTEXT_BYTES_MAX: usize = 262_144;

/// The longest reference to the source of a workflow in bytes. It is a path or an address, kept to be
/// shown; it opens nothing.
pub const SOURCE_REF_BYTES_MAX: usize = 1024;

/// The longest content type in bytes: two names of 127 bytes and a slash (RFC 6838).
pub const CONTENT_TYPE_BYTES_MAX: usize = 255;

/// Runs that a search for one to resume offers: what a person reads at a glance.
pub const RESUME_CANDIDATES_MAX: usize = 5;

/// Bytes of notes shown with each of them.
pub const RESUME_SNIPPET_BYTES_MAX: usize = 2_048;
