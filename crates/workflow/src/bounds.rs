//! Every limit of this crate, in one place.
//!
//! *Invariants*: a limit on what is written is part of a format. Raising one is safe; lowering one makes
//! existing data unreadable. Limits on what is kept in memory, read at a time or shown may change either way.

/// Maximum length of an id that an author gives (step, loop, condition, context key), in bytes.
///
/// Authors write a few words. Ids of expanded steps join several such ids, so there is room for some of them;
/// a decision trace must still be able to quote one whole within its 512 bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// Maximum nesting depth of loops.
///
/// Each level multiplies the work of the one around it, so a workflow that people can follow has two or
/// three. The limit bounds the length of a step instance key.
pub const LOOP_DEPTH_MAX: usize = 8;

/// Largest iteration of a loop, counted from zero.
///
/// A loop repeats once per reply of an agent, so a million iterations are out of reach. Six digits keep a
/// step instance key short.
pub const ITERATION_MAX: u32 = 999_999;

/// Number of digits of [`ITERATION_MAX`].
const ITERATION_DIGITS_MAX: usize = (ITERATION_MAX.ilog10() + 1) as usize;

/// Maximum length of a step instance key in bytes: every loop as `loop@iteration` plus one byte that joins it
/// to what follows, the second `:` before the step, and the step.
pub const STEP_INSTANCE_KEY_BYTES_MAX: usize =
    LOOP_DEPTH_MAX * (NAME_BYTES_MAX + 1 + ITERATION_DIGITS_MAX + 1) + 1 + NAME_BYTES_MAX;

/// Maximum length of a token in bytes. A state token, the longest of the three kinds, has about 400; the rest
/// is room for a later field. The limit stops a wrong paste before anything is decoded.
pub const TOKEN_BYTES_MAX: usize = 1024;

/// Maximum length of a short token in bytes: short enough to fit in a sentence and to be copied whole.
pub const SHORT_TOKEN_BYTES_MAX: usize = 40;

/// Largest count of nodes that a short token holds. A node takes a reply of an agent, so a session with a
/// million nodes is out of reach; if there is one, its later nodes have long tokens only.
pub const SHORT_TOKEN_NODE_MAX: u32 = 999_999;

/// Largest count of attempts on one node that a short token holds. An agent that fails ten thousand times at
/// one step is stuck; its later tokens are long.
pub const SHORT_TOKEN_ATTEMPT_MAX: u32 = 9_999;

/// The kind, 8 characters of the session, 16 of the signature, 4 hyphens and the two counts add up to the
/// limit.
const _: () = {
    let digits = SHORT_TOKEN_NODE_MAX.ilog10() + 1 + SHORT_TOKEN_ATTEMPT_MAX.ilog10() + 1;
    assert!(2 + 8 + 16 + 4 + digits as usize == SHORT_TOKEN_BYTES_MAX);
};

/// Maximum number of completed steps in a snapshot. It keeps only the newest iteration of a loop, so a run
/// never has more than its workflow has steps; this is a few times that, for workflows that were compiled
/// elsewhere.
pub const COMPLETED_STEPS_MAX: usize = 1024;

/// Maximum number of loop decisions in a snapshot. Like completed steps, they are those of the newest
/// iterations.
pub const DECISIONS_MAX: usize = 1024;

/// Maximum length of a step title in bytes: one line.
pub const STEP_TITLE_BYTES_MAX: usize = 1024;

/// Maximum size of a rendered prompt in bytes. No agent reads a megabyte of instructions; a prompt may quote
/// the whole context of a run, which is a quarter of that.
pub const RENDERED_PROMPT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum number of bytes kept of a parser's message about a damaged snapshot, since it may quote the
/// snapshot.
pub const SNAPSHOT_PROBLEM_BYTES_MAX: usize = 256;

/// The largest snapshot fits into a blob: its keys in quotes, its texts with every byte escaped, and room for
/// the rest.
const _: () = {
    let keys = COMPLETED_STEPS_MAX * (STEP_INSTANCE_KEY_BYTES_MAX + 3);
    let texts = 6 * (RENDERED_PROMPT_BYTES_MAX + STEP_TITLE_BYTES_MAX);
    assert!(keys + texts + 65_536 <= piton_store::bounds::BLOB_BYTES_MAX);
};

/// Maximum length of a step's notes in bytes; longer ones are cut. Part of the event format.
///
/// Notes say what happened and what comes next. Anything longer is an artifact.
pub const NOTES_BYTES_MAX: usize = 4096;

/// Maximum length of the name under which a person decides, in bytes. It shares the summary with what they said.
pub const PERSON_NAME_BYTES_MAX: usize = 64;

/// Time that a person's verdict waits for another writer of the session: an agent's append takes milliseconds, and
/// nobody should have to click twice.
pub const VERDICT_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

/// Maximum length of the summary of a gap, a divergence or an entry of a decision trace, in bytes: a
/// paragraph.
pub const SUMMARY_BYTES_MAX: usize = 512;

/// Maximum number of blockers in a report. An agent that receives more than ten at once fixes none.
pub const BLOCKERS_MAX: usize = 10;

/// Maximum length of a blocker's message in bytes.
pub const BLOCKER_MESSAGE_BYTES_MAX: usize = 512;

/// Maximum length of a blocker's suggested fix in bytes: twice its message, because it may contain an
/// example.
pub const SUGGESTED_FIX_BYTES_MAX: usize = 1024;

/// Maximum number of pieces of evidence that a gap names: its readers look up each of them.
pub const EVIDENCE_REFS_MAX: usize = 10;

/// Maximum number of entries in a decision trace; an advance makes a handful.
pub const TRACE_ENTRIES_MAX: usize = 25;

/// Maximum number of references in an entry of a decision trace: the steps and loops of one choice.
pub const TRACE_REFS_MAX: usize = 10;

/// Maximum size of a decision trace in bytes of canonical JSON. Nothing depends on a trace, so it must not
/// outgrow data that something depends on.
pub const TRACE_BYTES_MAX: usize = 8192;

/// Maximum length of an observed name in bytes, such as that of a branch: a line of a terminal.
pub const SHORT_STRING_BYTES_MAX: usize = 80;

/// Maximum length of an observed path in bytes: a few dozen folders deep. A longer one is left out.
pub const OBSERVED_PATH_BYTES_MAX: usize = 512;

/// Maximum size of a run's context in bytes of canonical JSON (256 KiB). An append holds at most 4 MiB, so a
/// context never fills one alone.
pub const CONTEXT_BYTES_MAX: usize = 262_144;

/// Maximum length of the reference to a workflow's source in bytes. It is a path or an address, kept for
/// display; it opens nothing.
pub const SOURCE_REF_BYTES_MAX: usize = 1024;

/// Maximum length of a content type in bytes: two names of 127 bytes and a slash (RFC 6838).
pub const CONTENT_TYPE_BYTES_MAX: usize = 255;

/// Maximum number of runs that a search for one to resume offers: as many as a person reads at a glance.
pub const RESUME_CANDIDATES_MAX: usize = 5;

/// Maximum number of bytes of notes shown with each of them.
pub const RESUME_SNIPPET_BYTES_MAX: usize = 2_048;

/// Maximum number of bytes that a message quotes of a wrong value: enough to recognise it.
pub const QUOTE_BYTES_MAX: usize = 80;

/// Maximum number of requirements of validation criteria that a prompt lists. An agent that reads more of
/// them follows fewer; the rest is counted.
pub const REQUIREMENTS_MAX: usize = 5;

/// Maximum memory of a compiled pattern in bytes. Patterns of authors take a few kilobytes; the limit refuses
/// nested counted repetitions, which grow without end.
pub const PATTERN_MEMORY_BYTES_MAX: usize = 1 << 20;

/// Maximum size of a workflow file in bytes. The longest that people have written are a tenth of it; the
/// limit bounds what is parsed for a stranger.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;

/// Maximum number of routines that a problem lists when a call names none of them. The rest is counted.
pub const ROUTINES_LISTED_MAX: usize = 12;

/// Maximum length of a workflow id without a namespace, in bytes: with a namespace, a mark and a count it
/// must still be a workflow id.
pub const LEGACY_ID_BYTES_MAX: usize = 96;

/// Maximum length of a title or name in bytes: one line, in any script.
pub const TITLE_BYTES_MAX: usize = 256;

/// Maximum length of a description or role in bytes: a few paragraphs, read by people in lists and by agents
/// with every step.
pub const DESCRIPTION_BYTES_MAX: usize = 2048;

/// Maximum length of an authored prompt in bytes. Longer ones are better split into steps.
pub const PROMPT_BYTES_MAX: usize = 16 * 1024;

/// Maximum length of an item of a prompt block in bytes: a page. Anything longer is several items.
pub const BLOCK_BYTES_MAX: usize = 4096;

/// Maximum number of items in a prompt block. Nobody follows a longer list.
pub const BLOCK_ITEMS_MAX: usize = 64;

/// Maximum number of parts in an item of a prompt block: a few included texts, and the text between them.
pub const BLOCK_PARTS_MAX: usize = 16;

/// Maximum number of steps in a list of steps, and in a whole workflow after templates are expanded.
/// A run shows every one of them, and a snapshot names the completed ones.
pub const STEPS_MAX: usize = 256;

/// Maximum number of entries in a list of a workflow file that has no limit of its own, such as conditions,
/// features or function definitions: a quarter of the steps that could use them.
pub const DECLARATIONS_MAX: usize = 64;

/// Maximum length of a prefix or key by which a step limits access, in bytes: a path in a repository.
pub const ACCESS_NAME_BYTES_MAX: usize = 256;

/// Maximum number of rules in a list of validation criteria. Each is searched for in notes of any length, and
/// has to be met.
pub const RULES_MAX: usize = 32;

/// Maximum nesting depth of `and` rules; more levels say nothing that fewer do not.
pub const RULE_DEPTH_MAX: usize = 4;

/// Maximum length of a rule's text, pattern or message in bytes: a paragraph.
pub const RULE_BYTES_MAX: usize = 1024;

/// Largest length in characters that a rule may demand. Rules read notes before they are cut for storage, so
/// it is far above any budget of stored notes.
pub const RULE_LENGTH_MAX: u32 = 100_000;

/// Maximum number of iterations that an author may allow a loop. Each takes replies of an agent, so a
/// thousand take days.
pub const LOOP_TURNS_MAX: u32 = 1000;

/// Maximum length of a referenced text in bytes: a page, so that a step can include several.
pub const REF_BYTES_MAX: usize = 4096;

/// Maximum number of bytes of referenced texts in one step: a prompt is to be read, not scrolled.
pub const STEP_REF_BYTES_MAX: usize = 16 * 1024;

/// Maximum number of bytes of function definitions in one prompt: half of what its author may write there.
pub const FUNCTIONS_BYTES_MAX: usize = 8192;

/// Maximum number of problems reported for one file. Nobody fixes more of them at once; the rest is counted.
pub const PROBLEMS_MAX: usize = 200;

/// Maximum length of a problem's reason or advice in bytes: the catalogue of names fits, a page that was
/// pasted into a field does not.
pub const PROBLEM_TEXT_BYTES_MAX: usize = 1024;

/// Maximum number of bytes of one finding in the message of a blocker. Next to the names in the message there
/// is room for at least one finding; those that do not fit are counted.
pub const FINDING_ITEM_BYTES_MAX: usize = 280;

/// Maximum number of bytes of one requirement in a suggested fix: most authors' messages fit whole.
pub const FIX_ITEM_BYTES_MAX: usize = 768;

/// Minimum number of bytes that a list item keeps when others need room: its position and the start of the
/// problem.
pub const LISTED_ITEM_BYTES_MIN: usize = 80;

/// Maximum nesting depth of conditions on the context of a run. Reading and evaluating one takes the stack;
/// nobody follows more than three or four.
pub const PREDICATE_DEPTH_MAX: usize = 8;

/// Maximum number of parts of a condition at each level. Nobody checks a longer list by reading it.
pub const PREDICATE_PARTS_MAX: usize = 32;

/// Maximum size of a value that a variable is compared with, in bytes: a name or a short list of names.
pub const OPERAND_BYTES_MAX: usize = 4096;

/// Maximum length of the text about a workflow in bytes, without its examples: as long as a prompt.
pub const ABOUT_BYTES_MAX: usize = 16 * 1024;

/// Maximum number of dimensions of an assessment, and of levels of a dimension: an agent rates each of them
/// in one reply.
pub const DIMENSIONS_MAX: usize = CONTRACT_DIMENSIONS_MAX as usize;

/// Maximum size of one prompt in bytes with every fragment shown, before variables are filled in. Half of
/// what a rendered prompt may have; the rest is for the values that are filled in.
pub const STATIC_PROMPT_BYTES_MAX: usize = 512 * 1024;

/// Maximum number of bytes of values filled into one prompt. A prompt may quote the whole context of its run
/// once.
pub const FILLED_BYTES_MAX: usize = CONTEXT_BYTES_MAX;

/// Maximum number of positions of an outermost loop that are examined for one next step. Iterations with
/// every step skipped are passed over, and nested loops could multiply such iterations without end; a loop
/// that has nothing to do for this long is left. A loop of a thousand iterations over a hundred steps may be
/// passed over whole.
pub const EMPTY_PLACES_MAX: u32 = 100_000;

/// Maximum number of missing inputs that one decision reports. The others are found once these are there.
pub const MISSING_INPUTS_MAX: usize = 3;

/// Maximum number of entries that are collected before they are cut to a decision trace: a few for each
/// loop that a run may be in, and more than a trace holds.
pub const TRACE_DRAFT_ENTRIES_MAX: usize = 256;

/// Maximum number of sessions that a process keeps folded in memory: more than a person has open at once.
pub const SESSIONS_WARM_MAX: usize = 256;

/// Maximum number of pinned workflows that a process keeps in memory: more than are in use at once, even with
/// many sessions.
pub const WORKFLOWS_WARM_MAX: usize = 64;

/// Maximum number of snapshots that a process keeps in memory: those of the newest nodes that it works on.
pub const SNAPSHOTS_WARM_MAX: usize = 1024;

/// Maximum number of pending steps, each an id and a title, that a listing of all runs keeps in memory: many runs
/// of one workflow share them.
pub const TIPS_WARM_MAX: usize = 16 * 1024;

/// Number of times that the shape of a run is read while an agent of the same process extends it. The next reading
/// shows what came after.
pub const SHAPE_ROUNDS_MAX: usize = 3;

/// Maximum number of reasons for refusals that the statistics of a step list; the rest is counted.
pub const REFUSAL_REASONS_MAX: usize = 20;

/// Maximum length of such a reason, in bytes: a line or two.
pub const REFUSAL_REASON_BYTES_MAX: usize = 200;

/// Maximum number of artifacts that a process keeps in memory, each as far as it is shown: those of the runs
/// that it works on. They take half a megabyte at most.
pub const ARTIFACTS_WARM_MAX: usize = 256;

/// Maximum number of bytes of submitted notes that are examined. Much less is kept of them; this prevents a
/// mistake, such as a whole log file, from being searched by every rule of a step.
pub const HANDED_IN_NOTES_BYTES_MAX: usize = 1 << 20;

/// Maximum number of artifacts of one output. A step asks for one or two; each is a blob of the plan that
/// records it.
pub const ARTIFACTS_MAX: usize = 64;

/// Maximum size of an artifact in bytes of canonical JSON. Anything larger belongs in a file that the
/// artifact names.
pub const ARTIFACT_BYTES_MAX: usize = 4 << 20;

/// Maximum length of a start key in bytes: an id of the caller, or a digest and a few names.
pub const START_KEY_BYTES_MAX: usize = 256;

/// Maximum number of bytes kept of a run's goal for search: a few paragraphs. Longer ones are cut.
pub const RUN_GOAL_BYTES_MAX: usize = 2_048;

/// Maximum number of bytes of step titles kept with each run for search: about a hundred titles.
pub const STEP_TITLES_BYTES_MAX: usize = 4_096;

/// Maximum length of a run's title in bytes: one line of a list.
pub const RUN_TITLE_BYTES_MAX: usize = 120;

/// Number of sessions that are written to the index of runs together, so that one write is worth its transaction.
pub const RUN_INDEX_BATCH: usize = 128;

/// Number of sessions that a process keeps folded because they grew since they were indexed.
pub const RUN_INDEX_FOLLOWED_MAX: usize = 8;

/// Number of sessions that are read at the same time for the index of runs: enough to keep a few cores busy.
pub const RUN_INDEX_TOGETHER: usize = 4;

/// Maximum number of artifacts of one run that are read for the index, the newest: an advance reads as many again.
pub const RUN_INDEX_ARTIFACTS_MAX: usize = 32;

/// Number of sessions of which the index returns the cursors or the runs at a time.
pub const RUN_INDEX_PAGE: usize = 5_000;

/// Number of sessions that a process remembers to have read itself. Few are offered for resuming again and again.
pub const RUN_INDEX_CONFIRMED_MAX: usize = 1_024;

/// Number of matches above which ranking looks at all runs, page by page, instead of at the matches.
pub const RUN_INDEX_MATCHES_MAX: usize = 2_000;

/// Maximum size of the recap that an agent reads when it resumes a run, in bytes: a few pages, with the notes
/// of at least one step whole. The rest is counted.
pub const RECAP_BYTES_MAX: usize = 8192;

/// Maximum number of steps in each part of a recap. The snapshot of each is read for its title, and notes of
/// the usual length fill a recap with a third of them.
pub const RECAP_STEPS_MAX: usize = 24;

/// Maximum length of a step's title in a recap, in bytes; titles are headings there.
pub const RECAP_TITLE_BYTES_MAX: usize = 120;

/// The newest notes fit whole, next to the frames of all sections.
const _: () = assert!(NOTES_BYTES_MAX + RECAP_TITLE_BYTES_MAX + 1024 <= RECAP_BYTES_MAX);

/// Maximum number of bytes that a recap shows of each other branch's notes: its result, not the way there.
pub const BRANCH_NOTES_BYTES_MAX: usize = 512;

/// Maximum number of subagents that one step delegates to. A person follows a handful of them, and their
/// answers must fit into the notes of one step.
pub const DELEGATIONS_MAX: usize = 8;

/// Maximum size of a bundle in bytes. A bundle is read whole and takes several times its size in memory while
/// it is checked; a run of a thousand steps has about a fiftieth of this.
pub const BUNDLE_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Maximum number of events in a bundle: a hundred times the longest session that an agent makes in a week.
pub const BUNDLE_EVENTS_MAX: usize = 1_000_000;

/// Maximum number of snapshots, workflows and artifacts in a bundle. Each becomes a file of its own that is
/// synced, so importing more would take hours.
pub const BUNDLE_PARTS_MAX: usize = 200_000;

/// Maximum length of a program version in bytes: three numbers, and whatever a build adds to them.
pub const APP_VERSION_BYTES_MAX: usize = 64;

/// Maximum number of bytes kept of a parser's message about a bundle, since it may quote the bundle.
pub const BUNDLE_PROBLEM_BYTES_MAX: usize = 256;

/// Number of table entries that are read at a time: few reads for all of them, and little memory for each.
pub const TABLE_PAGE: usize = 1_000;

/// Default number of days that a session is kept after its last event: a quarter, so that work which waited
/// for a release is still there.
pub const RETENTION_DAYS_DEFAULT: u32 = 90;

/// Maximum number of days that sessions can be kept: a century. To keep one for longer, keep it for good.
pub const RETENTION_DAYS_MAX: u32 = 36_500;

/// Maximum number of tags of a workflow: enough to be found by, too few to be found by everything.
pub const TAGS_MAX: usize = 8;

/// Number of refusals of one step in a row with which the person is asked, unless a setting says otherwise: the first
/// may be an oversight and the second a misunderstanding; a third shows that the texts do not help.
pub const ASK_AFTER_REFUSALS_DEFAULT: u32 = 3;

/// Maximum of that setting. Beyond it, an agent repeats itself and nobody knows.
pub const ASK_AFTER_REFUSALS_MAX: u32 = 20;

/// Maximum number of bytes of a step's prompt, and of its notes, shown to a person who is asked about it: a dialog holds
/// a paragraph.
pub const QUESTION_EXCERPT_BYTES_MAX: usize = 600;

/// Maximum number of decisions by people that are shown to an agent with a step: the newest. Each has at most
/// a summary's bytes.
pub const SAID_MAX: usize = 8;

/// Maximum number of artifacts of earlier steps that are shown to an agent that continues a run. Each is read
/// for its kind.
pub const PRODUCED_ARTIFACTS_MAX: usize = 12;

/// Maximum total size of the artifacts that such an agent reads whole, in bytes: less than the notes take.
pub const PRODUCED_BYTES_MAX: usize = 6 * 1024;

/// Maximum size of an artifact that is shown whole among others, in bytes: a verdict with its findings.
pub const ARTIFACT_SHOWN_BYTES_MAX: usize = 2048;

/// Maximum number of older artifacts that such an agent sees by digest only, one line each. The rest is
/// counted.
pub const PRODUCED_DIGESTS_MAX: usize = 24;

/// Maximum number of bookmarks on earlier steps that such an agent reads: the newest. The rest is counted.
pub const BOOKMARKS_TOLD_MAX: usize = 8;

/// Maximum total size of the notes of bookmarks on earlier steps that such an agent reads whole, in bytes.
/// The newest always fit; the others are then shown by their first lines.
pub const BOOKMARKS_BYTES_MAX: usize = NOTES_BYTES_MAX;

/// Maximum number of divergences and observations that such an agent reads: the newest.
pub const SIDE_RECORDS_MAX: usize = 8;

/// Maximum number of the engine's explanations that such an agent reads. There is one for nearly every step,
/// and only the newest are about what is to be done.
pub const TRACES_TOLD_MAX: usize = 2;

/// Maximum number of lines of notes that an author may ask for: ten pages.
pub const NOTES_LINES_MAX: u32 = 500;

/// Maximum length of a sentence in a contract, in bytes: a loop's decision, or the reason for leaving the
/// path of a workflow.
pub const CONTRACT_SUMMARY_BYTES_MAX: u32 = 512;

/// Maximum length of a paragraph in a contract, in bytes.
pub const CONTRACT_PARAGRAPH_BYTES_MAX: u32 = 1024;

/// Maximum length of a list item in a contract, in bytes: one line.
pub const CONTRACT_LINE_BYTES_MAX: u32 = 200;

/// Maximum length of a path in a contract, in bytes: paths in repositories are shorter.
pub const CONTRACT_PATH_BYTES_MAX: u32 = 1024;

/// Maximum size of a table or report that is embedded in a contract, in bytes: anything longer is a file.
pub const CONTRACT_PAYLOAD_BYTES_MAX: u32 = 16 * 1024;

/// Room for the heading of a part and for its note about a cut, in bytes.
pub const RECAP_FRAME_BYTES: usize = 160;

/// Maximum confidence of an agent in percent.
pub const CONTRACT_PERCENT_MAX: u32 = 100;

/// Maximum number of findings in a contract: a review with more has to choose.
pub const CONTRACT_FINDINGS_MAX: u32 = 100;

/// Maximum number of dimensions rated in a contract: nobody distinguishes more of them.
pub const CONTRACT_DIMENSIONS_MAX: u32 = 32;

/// Maximum length of a name in a contract, in bytes: a few words.
pub const CONTRACT_NAME_BYTES_MAX: u32 = 100;

/// Maximum number of sessions that a check names as needing the same damaged content; the rest is counted.
pub const SESSIONS_NAMED_MAX: usize = 5;
