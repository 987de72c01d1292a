//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit of what is written is part of a format; raising one is safe, lowering one makes data that
//! was written before unreadable. What is kept in memory, read at a time or shown may change either way.

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

/// The most completed steps that a snapshot holds. Of a loop it keeps the newest turn, so a run never has
/// more than its workflow has steps; this is a few times that, for workflows that were compiled elsewhere.
pub const COMPLETED_STEPS_MAX: usize = 1024;

/// The most decisions about loops that a snapshot holds. Like completed steps, they are those of the
/// newest turns.
pub const DECISIONS_MAX: usize = 1024;

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

/// How many pieces of evidence a gap names: who reads it looks up each of them.
pub const EVIDENCE_REFS_MAX: usize = 10;

/// How many entries a decision trace holds; an advance makes a handful.
pub const TRACE_ENTRIES_MAX: usize = 25;

/// How many things an entry of a decision trace refers to: the steps and loops of one choice.
pub const TRACE_REFS_MAX: usize = 10;

/// The largest decision trace in bytes of canonical JSON. Nothing depends on a trace, so it must not
/// outgrow what something depends on.
pub const TRACE_BYTES_MAX: usize = 8192;

/// The longest observed name in bytes, such as that of a branch: a line of a terminal.
pub const SHORT_STRING_BYTES_MAX: usize = 80;

/// The longest observed path in bytes: a few dozen folders deep. A longer one is left out.
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

/// How many bytes of a wrong value a message quotes: enough to recognise it.
pub const QUOTE_BYTES_MAX: usize = 80;

/// How many requirements of validation criteria a prompt lists. An agent that reads more of them follows
/// fewer; the rest is counted.
pub const REQUIREMENTS_MAX: usize = 5;

/// How much memory a compiled pattern may take. Patterns of authors take a few kilobytes; the limit
/// refuses counted repetitions inside each other, which grow without end.
pub const PATTERN_MEMORY_BYTES_MAX: usize = 1 << 20;

/// The largest workflow file in bytes. The longest that people wrote have a tenth of it; the limit bounds
/// what is parsed for a stranger.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// How many routines a problem names when a call names none of them. More are counted.
pub const ROUTINES_LISTED_MAX: usize = 12;

/// The longest workflow id without a namespace, in bytes: with a namespace, a mark and a count it must
/// still be a workflow id.
pub const LEGACY_ID_BYTES_MAX: usize = 96;

/// The longest title or name in bytes: one line, in any script.
pub const TITLE_BYTES_MAX: usize = 256;

/// The longest description or role in bytes: a few paragraphs, read by people in lists and by agents with
/// every step.
pub const DESCRIPTION_BYTES_MAX: usize = 2048;

/// The longest authored prompt in bytes. Longer ones are better split into steps.
pub const PROMPT_BYTES_MAX: usize = 16 * 1024;

/// The longest item of a prompt block in bytes: a page. What is longer is several items.
pub const BLOCK_BYTES_MAX: usize = 4096;

/// How many items a prompt block has. Nobody follows a longer list.
pub const BLOCK_ITEMS_MAX: usize = 64;

/// How many parts an item of a prompt block has: a few texts that it takes in, and what stands between them.
pub const BLOCK_PARTS_MAX: usize = 16;

/// How many steps a list of steps has, and a whole workflow after templates are expanded. A run shows every
/// one of them, and a snapshot names those that are done.
pub const STEPS_MAX: usize = 256;

/// How many entries a list in a workflow file has that has no limit of its own, such as conditions, features or
/// function definitions: a quarter of the steps that could use them.
pub const DECLARATIONS_MAX: usize = 64;

/// The size of a prefix or a key that a step names to say what may be touched, in bytes: a path of a repository.
pub const ACCESS_NAME_BYTES_MAX: usize = 256;

/// How many rules a list of validation criteria has. Each is looked for in notes of any length, and has to be met.
pub const RULES_MAX: usize = 32;

/// How deep `and` rules lie inside each other; more of them say nothing that fewer do not.
pub const RULE_DEPTH_MAX: usize = 4;

/// The longest text, pattern or message of a rule in bytes: a paragraph.
pub const RULE_BYTES_MAX: usize = 1024;

/// The largest length in characters that a rule may speak of. Rules read notes before they are cut to what
/// is stored, so it is far above any budget of stored notes.
pub const RULE_LENGTH_MAX: u32 = 100_000;

/// The most turns that an author may allow a loop. Each takes replies of an agent, so that a thousand take days.
pub const LOOP_TURNS_MAX: u32 = 1000;

/// The longest referenced text in bytes: a page, so that a step can take in several.
pub const REF_BYTES_MAX: usize = 4096;

/// How many bytes of referenced texts one step takes in: a prompt is to be read, not scrolled.
pub const STEP_REF_BYTES_MAX: usize = 16 * 1024;

/// How many bytes of function definitions go into one prompt: half of what its author may write there.
pub const FUNCTIONS_BYTES_MAX: usize = 8192;

/// How many problems of one file are reported. Nobody mends more of them at once; the rest is counted.
pub const PROBLEMS_MAX: usize = 200;

/// The longest reason or advice of a problem in bytes: the catalogue of names fits in, a page that was
/// pasted into a field does not.
pub const PROBLEM_TEXT_BYTES_MAX: usize = 1024;

/// How many bytes one thing that is wrong takes at most in the message of a blocker. Beside the names in the
/// message there is room for at least one thing; what does not fit is counted.
pub const FINDING_ITEM_BYTES_MAX: usize = 280;

/// How many bytes one requirement takes at most in a suggested fix: most messages of authors whole.
pub const FIX_ITEM_BYTES_MAX: usize = 768;

/// How many bytes an item of a list keeps at least when others need room: its place and the start of what is
/// wrong.
pub const LISTED_ITEM_BYTES_MIN: usize = 80;

/// How deep conditions on what a run was told lie inside each other. Reading and asking one takes the stack; nobody
/// follows more than three or four.
pub const PREDICATE_DEPTH_MAX: usize = 8;

/// How many conditions one is made of at each level. Nobody checks a longer list by reading it.
pub const PREDICATE_PARTS_MAX: usize = 32;

/// The largest value in bytes that a variable is compared with: a name or a short list of them.
pub const OPERAND_BYTES_MAX: usize = 4096;

/// The longest text in bytes that tells what a workflow is about, its examples aside: as long as a prompt.
pub const ABOUT_BYTES_MAX: usize = 16 * 1024;

/// How many dimensions an assessment has, and how many levels a dimension: an agent rates each of them in one reply.
pub const DIMENSIONS_MAX: usize = CONTRACT_DIMENSIONS_MAX as usize;

/// How many bytes the parts of one prompt have together when every fragment is shown, before variables are
/// filled in. Half of what a rendered prompt may have; the rest is for what is filled in.
pub const STATIC_PROMPT_BYTES_MAX: usize = 512 * 1024;

/// How many bytes of values are filled into one prompt. A prompt may quote the whole context of its run once.
pub const FILLED_BYTES_MAX: usize = CONTEXT_BYTES_MAX;

/// How many places of an outermost loop are looked at for one next step. Turns of which every step is skipped
/// are passed over, and loops inside of loops could multiply such turns without end; a loop that has nothing to
/// do for so long is left. A loop of a thousand turns over a hundred steps may be passed over whole.
pub const EMPTY_PLACES_MAX: u32 = 100_000;

/// How many inputs that are missing one decision reports. The others are found when these are there.
pub const LACKS_MAX: usize = 3;

/// How many entries of a trail are kept before they are cut to a decision trace: a few for each loop that a run
/// may be in, and more than a trace holds.
pub const TRAIL_ENTRIES_MAX: usize = 256;

/// How many sessions a process keeps folded in memory: more than a person has open at once.
pub const SESSIONS_WARM_MAX: usize = 256;

/// How many pinned workflows a process keeps in memory: more than are at work at once, also where sessions are many.
pub const WORKFLOWS_WARM_MAX: usize = 64;

/// How many snapshots a process keeps in memory: the newest nodes of what it works on.
pub const SNAPSHOTS_WARM_MAX: usize = 1024;

/// How many artifacts a process keeps in memory, each as much as is shown of it: those of the runs that it works on.
/// They take half a megabyte at most.
pub const ARTIFACTS_WARM_MAX: usize = 256;

/// How many bytes of notes are looked at. What is kept of them is much less; this keeps a mistake, such as a
/// whole log file, from being searched by every rule of a step.
pub const HANDED_IN_NOTES_BYTES_MAX: usize = 1 << 20;

/// How many artifacts one output has. A step asks for one or two; each is a blob of the plan that records it.
pub const ARTIFACTS_MAX: usize = 64;

/// The largest artifact in bytes of canonical JSON. What is larger belongs into a file that the artifact names.
pub const ARTIFACT_BYTES_MAX: usize = 4 << 20;

/// The longest start key in bytes: an id of the caller, or a digest and a few names.
pub const START_KEY_BYTES_MAX: usize = 256;

/// How much of the goal of a run is kept to be searched, in bytes: a few paragraphs. Longer ones are cut.
pub const RUN_GOAL_BYTES_MAX: usize = 2_048;

/// How much of the titles of a workflow's steps is kept with each run to be searched, in bytes: some hundred titles.
pub const STEP_TITLES_BYTES_MAX: usize = 4_096;

/// The longest title of a run in bytes: one line of a list.
pub const RUN_TITLE_BYTES_MAX: usize = 120;

/// The longest recap that an agent reads when it takes up a run, in bytes: a few pages, with at least one
/// step's notes whole. What does not fit is counted.
pub const RECAP_BYTES_MAX: usize = 8192;

/// How many steps each part of a recap tells at most. The snapshot of each is read for its title, and notes of
/// the usual length fill a recap with a third of them.
pub const RECAP_STEPS_MAX: usize = 24;

/// The longest title of a step in a recap, in bytes; titles are headings there.
pub const RECAP_TITLE_BYTES_MAX: usize = 120;

/// The newest notes fit in whole, beside the frames of all sections.
const _: () = assert!(NOTES_BYTES_MAX + RECAP_TITLE_BYTES_MAX + 1024 <= RECAP_BYTES_MAX);

/// How many bytes of each other branch's notes a recap shows: what became of it, not how.
pub const BRANCH_NOTES_BYTES_MAX: usize = 512;

/// How many workflows a listing of all runs keeps in mind, so that each is read once for many runs. People have
/// dozens of them.
pub const WORKFLOWS_KEPT_MAX: usize = 64;

/// How many subagents one step has work done by. A person follows a handful of them, and their answers must
/// fit into the notes of one step.
pub const DELEGATIONS_MAX: usize = 8;

/// The largest bundle in bytes. A bundle is read whole and takes several times its size in memory while it is
/// checked; a run of a thousand steps has about a fiftieth of this.
pub const BUNDLE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// How many events a bundle holds: a hundred times the longest session that an agent makes in a week.
pub const BUNDLE_EVENTS_MAX: usize = 1_000_000;

/// How many snapshots, workflows and artifacts a bundle holds. Each becomes a file of its own that is synced,
/// so that an import of more would take hours.
pub const BUNDLE_PARTS_MAX: usize = 200_000;

/// The longest version of a program in bytes: three numbers, and what a build adds to them.
pub const APP_VERSION_BYTES_MAX: usize = 64;

/// How much of what a parser says about a bundle is kept: it may quote the bundle.
pub const BUNDLE_PROBLEM_BYTES_MAX: usize = 256;

/// How many entries of a table are read at a time: few reads for all of them, and little memory for each.
pub const TABLE_PAGE: usize = 1_000;

/// For how many days a session is kept after its last event, unless somebody says otherwise: a quarter, so
/// that work which waited for a release is still there.
pub const RETENTION_DAYS_DEFAULT: u32 = 90;

/// The most days for which sessions can be kept: a century. Whoever wants one for longer keeps it for good.
pub const RETENTION_DAYS_MAX: u32 = 36_500;

/// How many tags a workflow has: enough to be found by, too few to be found by everything.
pub const TAGS_MAX: usize = 8;

/// How much of a step's prompt a person is shown who is asked to confirm it, in bytes: a dialog holds a paragraph.
pub const QUESTION_EXCERPT_BYTES_MAX: usize = 600;

/// How many decisions of persons an agent is told with a step: the newest. Each has at most a summary's bytes.
pub const SAID_MAX: usize = 8;

/// How many artifacts of earlier steps an agent reads about when it continues a run. Each is read for its kind.
pub const PRODUCED_ARTIFACTS_MAX: usize = 12;

/// How many bytes the artifacts have together that such an agent reads whole: less than the notes take.
pub const PRODUCED_BYTES_MAX: usize = 6 * 1024;

/// The largest artifact that is shown whole among others, in bytes: a verdict with its findings.
pub const ARTIFACT_SHOWN_BYTES_MAX: usize = 2048;

/// How many older artifacts such an agent is told by their digests alone, in a line each. The rest is counted.
pub const PRODUCED_DIGESTS_MAX: usize = 24;

/// How many bookmarks on earlier steps such an agent reads: the newest. The rest is counted.
pub const BOOKMARKS_TOLD_MAX: usize = 8;

/// How many bytes the notes of bookmarks on earlier steps have together that such an agent reads whole. The newest always
/// fit; others are then told by their first lines.
pub const BOOKMARKS_BYTES_MAX: usize = NOTES_BYTES_MAX;

/// How many divergences and observations such an agent reads: the newest.
pub const SIDE_RECORDS_MAX: usize = 8;

/// How many of the engine's explanations such an agent reads. There is one for nearly every step, and only the newest
/// say something about what is to do.
pub const TRACES_TOLD_MAX: usize = 2;

/// The most lines of notes that an author may ask for: ten pages.
pub const NOTES_LINES_MAX: u32 = 500;

/// The longest sentence in a contract, in bytes: what a loop decided, or why the way of a workflow was left.
pub const CONTRACT_SUMMARY_BYTES_MAX: u32 = 512;

/// The longest paragraph in a contract, in bytes.
pub const CONTRACT_PARAGRAPH_BYTES_MAX: u32 = 1024;

/// The longest item of a list in a contract, in bytes: one line.
pub const CONTRACT_LINE_BYTES_MAX: u32 = 200;

/// The longest path in a contract, in bytes: paths in repositories are shorter.
pub const CONTRACT_PATH_BYTES_MAX: u32 = 1024;

/// The longest table or report that rides along in a contract, in bytes: what is longer is a file.
pub const CONTRACT_PAYLOAD_BYTES_MAX: u32 = 16 * 1024;

/// Room for the heading of a part and for what it says about a cut.
pub const RECAP_FRAME_BYTES: usize = 160;

/// How sure an agent can be of something, in percent: altogether.
pub const CONTRACT_PERCENT_MAX: u32 = 100;

/// How many findings a contract takes: a review with more has to choose.
pub const CONTRACT_FINDINGS_MAX: u32 = 100;

/// How many dimensions are rated in a contract: more of them are not told apart.
pub const CONTRACT_DIMENSIONS_MAX: u32 = 32;

/// The longest name in a contract, in bytes: a few words.
pub const CONTRACT_NAME_BYTES_MAX: u32 = 100;

/// How many sessions a check names that need the same damaged content; the rest is counted.
pub const SESSIONS_NAMED_MAX: usize = 5;
