//! What agents are told about the tools of the set.
//!
//! What holds for one field stands at that field, in the types of the requests.

/// The protocol, as agents read it when they connect.
pub(super) const INSTRUCTIONS: &str = "\
Piton takes you through workflows step by step and keeps a durable record of every step.

1. list_workflows shows what there is; start_workflow starts a run and returns its first step.
2. Do what the step's prompt says. Then make the call after `Next:` at the end of the reply, with your output.
3. Go on until a reply says that the run is done.

Copy tokens whole, always from the newest reply of the run that you mean; each reply names its run. To repeat a call \
is harmless: it returns the same reply. After a break, or if you lost a token, call resume_session.";

pub(super) const LIST_WORKFLOWS: &str = "\
Lists the workflows that can be started: what each does and when to use it. Then start one with start_workflow, or \
look inside with inspect_workflow.";

pub(super) const INSPECT_WORKFLOW: &str = "\
Shows a workflow without starting it. Nothing is recorded.";

pub(super) const START_WORKFLOW: &str = "\
Starts a run and returns its first step. Do what `pending.prompt` says, then make the call in `nextCall` with your \
output. continue_workflow says what each `nextIntent` asks of you.";

pub(super) const CONTINUE_WORKFLOW: &str = "\
Hands in the output of the pending step and returns the next step. `nextIntent` in a reply says what to do:
- perform_pending_then_continue: do the pending step, then make `nextCall` with its output.
- await_user_confirmation: show the person the pending step and wait for their yes; then the same.
- rehydrate_only: nothing can be handed in from this reply; make `nextCall` to see where the run stands.
- complete: the run is done; tell the person what came of it.
If `kind` is `blocked`, the output lacked something: `blockers` says what. Send the whole output again, with the new \
ackToken of that reply.
RIGHT: {\"ackToken\": \"(of the newest reply)\", \"output\": {\"notesMarkdown\": \"(this step)\"}}
WRONG: an ackToken of one run with a stateToken of another; it is refused.";

pub(super) const CHECKPOINT_WORKFLOW: &str = "\
Makes a bookmark at the pending step without finishing it, before something risky or a long break. The stateToken of \
the reply leads back to it, with continue_workflow.";

pub(super) const GET_ARTIFACT: &str = "\
Reads an artifact that a reply lists by its digest.";

pub(super) const RESUME_SESSION: &str = "\
Finds runs to go on with: after a break, in a new chat, or when a token was lost. Without arguments it offers runs on \
the branch and commit that are checked out here, then the newest. Take the best candidate's `nextCall`; if several \
fit, ask the person.";
