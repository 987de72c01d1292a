//! All error codes, each with its meaning, the next thing to do and the retry rule, and the domains they come from.
//!
//! *Invariants*: a code never changes its meaning and is never reused; a code that is no longer produced stays. A
//! meaning is one sentence. Advice says what to do next and names no time, which is the task of [`Retry`]. Locks are the
//! exception: there a person needs to know that waiting is enough.

use super::envelope::Retry;
use crate::bounds::LOCK_RETRY_AFTER_MS;

/// Facts about a code.
#[derive(Clone, Copy)]
struct CodeFacts {
    /// Explanation of the failure, in one sentence.
    meaning: &'static str,
    /// Next thing to do.
    advice: &'static str,
    retry: Retry,
}

/// Facts about a failure that stays until something changes.
const fn permanent(meaning: &'static str, advice: &'static str) -> CodeFacts {
    CodeFacts { meaning, advice, retry: Retry::NotRetryable }
}

/// Facts about a failure that may be over already.
const fn transient(meaning: &'static str, advice: &'static str) -> CodeFacts {
    CodeFacts { meaning, advice, retry: Retry::RetryableImmediate }
}

/// Facts about a lock that is taken: another process is usually done within a second.
const fn locked(meaning: &'static str, advice: &'static str) -> CodeFacts {
    let retry = Retry::RetryableAfterMs { after_ms: LOCK_RETRY_AFTER_MS };
    CodeFacts { meaning, advice, retry }
}

/// Declares the codes: name, kind of facts, meaning, advice.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident => $name:literal, $facts:ident, $meaning:literal, $advice:literal;)+) => {
        crate::closed_set! {
            /// What kind of failure it is.
            pub enum Code {
                $($(#[$doc])* $code => $name,)+
            }
        }

        impl Code {
            const fn facts(self) -> CodeFacts {
                match self {
                    $(Self::$code => $facts($meaning, $advice),)+
                }
            }
        }
    };
}

codes! {
    /// Reading or writing failed.
    StoreIo => "STORE_IO", transient,
        "The operating system reported an error while data was read or written.",
        "Check that the data directory exists, is writable and its disk is healthy, then repeat the call.";
    /// There is no room.
    StoreFull => "STORE_FULL", permanent,
        "There is no room left on the disk or in the quota; nothing was recorded.",
        "Free space on the disk of the data directory, then repeat the call.";
    /// Another process uses the same data.
    StoreBusy => "STORE_BUSY", locked,
        "Another process held shared data for longer than this call waits.",
        "Repeat the call; if this persists, make sure that no other Piton process hangs.";
    /// The data changed in between.
    StoreConflict => "STORE_CONFLICT", transient,
        "The data changed between reading and writing it, so nothing was written.",
        "Read the current state and repeat the call on top of it.";
    /// The stored data contradicts itself.
    StoreInvariantViolation => "STORE_INVARIANT_VIOLATION", permanent,
        "The stored data contradicts itself, or a write would make it do so.",
        "Run `piton doctor` to see what is wrong: it names the command to use next. Each of them keeps what it takes away.";
    /// A blob is not what its digest says.
    StoreCorruptBlob => "STORE_CORRUPT_BLOB", permanent,
        "A stored blob does not have the digest that it is stored under.",
        "Run `piton doctor`: it finds what the blob belongs to, and names the command that shows how to get it back. Nothing else is affected: Piton does not use a damaged blob.";
    /// The file of the tables is damaged.
    StoreTableDamaged => "STORE_TABLE_DAMAGED", permanent,
        "The file that holds context, Virtual Stores and records of file changes is damaged; sessions and backpacks do not need it.",
        "See what is wrong with `piton data verify`, and fix it with `piton data repair`, which keeps the damaged file and everything in it that can still be read.";
    /// There is no such thing.
    StoreNotFound => "STORE_NOT_FOUND", permanent,
        "Nothing is stored under this reference.",
        "Check the reference; if it came from Piton, the data behind it has been deleted.";
    /// The data has a version that this program does not know.
    StoreUnsupportedVersion => "STORE_UNSUPPORTED_VERSION", permanent,
        "The data was written in a format version that this program does not know.",
        "Upgrade Piton: use the version that wrote the data, or a newer one. Nothing was changed.";
    /// The file system cannot keep the promises of the store.
    StoreUnsupportedFilesystem => "STORE_UNSUPPORTED_FILESYSTEM", permanent,
        "The file system of the data directory cannot lock files or confirm writes reliably.",
        "Set `PITON_DATA_DIR` to a directory on a local disk.";
    /// A limit of the store is reached.
    StoreLimitExceeded => "STORE_LIMIT_EXCEEDED", permanent,
        "A fixed limit of the store is reached, such as the size of one record.",
        "Make the data smaller or split it over several calls.";

    /// Another process writes to the session.
    SessionLocked => "SESSION_LOCKED", locked,
        "Another process is writing to this session at the moment.",
        "Retry in one second; if this persists, make sure that no other Piton process works on the same session.";
    /// The session failed validation.
    SessionNotHealthy => "SESSION_NOT_HEALTHY", permanent,
        "The session's log failed validation, so nothing may be added to it.",
        "Run `piton session verify SESSION` to see the damage, then `piton session repair SESSION`, which keeps what it takes away.";
    /// A write to the session had an unknown outcome.
    SessionPoisoned => "SESSION_POISONED", permanent,
        "A write to this session failed on the disk, so what the disk holds is not known and no process may write to it.",
        "Check the disk, then run `piton session verify SESSION`: it reads the session again from the disk, and opens it for writing if it is whole.";
    /// There is no such session.
    SessionNotFound => "SESSION_NOT_FOUND", permanent,
        "There is no session with this id in the data directory.",
        "List the sessions with `piton session list`, and check that `PITON_DATA_DIR` is the one you mean.";

    /// The keys are damaged.
    KeyringCorrupt => "KEYRING_CORRUPT", permanent,
        "The keyring is damaged, so tokens can be neither signed nor checked.",
        "Make new keys with `piton keys repair`: it keeps the damaged file. Tokens of the old keys stop working; no run is lost, and resuming one gives new tokens.";

    /// A text is not a token.
    TokenInvalidFormat => "TOKEN_INVALID_FORMAT", permanent,
        "The text is not a token that Piton writes: it was cut, changed or made up.",
        "Copy the token whole from the last reply of this run; if that reply is lost, find the run with `resume_session`.";
    /// A token has a version that this program does not know.
    TokenUnsupportedVersion => "TOKEN_UNSUPPORTED_VERSION", permanent,
        "The token has a version that this program does not know.",
        "Use the version of Piton that made the token or a newer one, or find the run with `resume_session` to get a token of this version.";
    /// No key in use signed the token.
    TokenBadSignature => "TOKEN_BAD_SIGNATURE", permanent,
        "No key in use signed this token: it was changed, it comes from another data directory, or the keys were rotated twice since.",
        "Copy the token whole from the last reply of this run; if it is still refused, find the run with `resume_session` to get a new one.";
    /// A token does not belong where it stands.
    TokenScopeMismatch => "TOKEN_SCOPE_MISMATCH", permanent,
        "The token does not belong where it stands: it is of another kind, it names another node than the token next to it, or it belongs to another run than the `label` next to it.",
        "Send the tokens of one reply of one run, each under the name that the call after `Next:` gives it; an ackToken alone advances and a stateToken alone reads.";
    /// A token names a session, run or node that is not there.
    TokenUnknownNode => "TOKEN_UNKNOWN_NODE", permanent,
        "The token names a session, run or node that is not in this data directory.",
        "Find the run with `resume_session`; if it is not listed, it was deleted or lies in another data directory.";
    /// A token names another workflow than the run is pinned to.
    TokenWorkflowHashMismatch => "TOKEN_WORKFLOW_HASH_MISMATCH", permanent,
        "The token names another version of the workflow than the one that its run is pinned to.",
        "Find the run with `resume_session` and continue with the token that it gives.";
    /// Another process writes to the session of the token.
    TokenSessionLocked => "TOKEN_SESSION_LOCKED", locked,
        "Another process is writing to the session of this token at the moment.",
        "Retry in one second with the same token; if this persists, make sure that no other Piton process works on the same session.";
    /// A token names a step that its run has left.
    TokenStepPassed => "TOKEN_STEP_PASSED", permanent,
        "The token names a step that its run has left, and what may be touched depends on the step.",
        "Send as `run` the ackToken in the call after `Next:` of the run's last reply; if that reply is lost, `resume_session` leads to it.";
    /// A call must say which step it belongs to.
    TokenRunRequired => "TOKEN_RUN_REQUIRED", permanent,
        "What may be touched depends on the step that a call belongs to, and the call does not name one.",
        "Send as `run` the ackToken of the step that you are at: it is in the call after `Next:` of the last reply.";
    /// A call must say which of several open runs it means.
    TokenLabelRequired => "TOKEN_LABEL_REQUIRED", permanent,
        "Several runs are open in this connection, and the call does not say by `label` which of them it means.",
        "Make the call again with `label`: the label of the run that the output belongs to, as the first line of its replies has it.";

    /// A text is not a bundle.
    BundleInvalidFormat => "BUNDLE_INVALID_FORMAT", permanent,
        "The file is not a bundle of a session that Piton exports; nothing was imported.",
        "Export the session again with `piton session export SESSION FILE`, and import that file as it is: `piton session import FILE`.";
    /// A bundle has a version that this program does not know.
    BundleUnsupportedVersion => "BUNDLE_UNSUPPORTED_VERSION", permanent,
        "The bundle has a version that this program does not know; nothing was imported.",
        "Import it with the version of Piton that exported it, or a newer one.";
    /// A part of a bundle is not what its digest says, or is gone.
    BundleIntegrityFailed => "BUNDLE_INTEGRITY_FAILED", permanent,
        "A part of the bundle was changed or removed after the export; nothing was imported.",
        "Copy the bundle again from where it was exported; if it is still refused, export the session again.";
    /// A snapshot that the events name is not in the bundle.
    BundleMissingSnapshot => "BUNDLE_MISSING_SNAPSHOT", permanent,
        "A snapshot that a run needs to go on is not in the bundle; nothing was imported.",
        "Export the session again; a bundle holds every snapshot that its events name.";
    /// A workflow that a run is pinned to is not in the bundle.
    BundleMissingPinnedWorkflow => "BUNDLE_MISSING_PINNED_WORKFLOW", permanent,
        "A workflow that a run is pinned to is not in the bundle; nothing was imported.",
        "Export the session again; a bundle holds every workflow that its runs are pinned to.";
    /// The events of a bundle are not the log of a session.
    BundleEventOrderInvalid => "BUNDLE_EVENT_ORDER_INVALID", permanent,
        "The events of the bundle are out of order, or one contradicts those before it; nothing was imported.",
        "Check the session that it came from with `piton session verify SESSION`, and export it again: `piton session export SESSION FILE`.";
    /// The control records of a bundle do not attest its events.
    BundleManifestOrderInvalid => "BUNDLE_MANIFEST_ORDER_INVALID", permanent,
        "The control records of the bundle are out of order, or do not fit its events; nothing was imported.",
        "Check the session that it came from with `piton session verify SESSION`, and make a new bundle of it: `piton session export SESSION FILE`.";

    /// No provider or model is configured for the call.
    ModelNotConfigured => "MODEL_NOT_CONFIGURED", permanent,
        "No provider of models, or no model of it, is configured for this call; nothing was sent.",
        "Configure a provider with its model under `[models]` in the configuration file, and name there where its key lies.";
    /// The provider refused the key.
    ModelAuthFailed => "MODEL_AUTH_FAILED", permanent,
        "The provider of the model refused the key; no answer was given.",
        "Check that the key which the provider's settings refer to is the right one and may use this model.";
    /// The provider takes no more calls for now.
    ModelRateLimited => "MODEL_RATE_LIMITED", transient,
        "The provider of the model takes no more calls for now; no answer was given.",
        "Wait as long as the retry rule says, then repeat the call; if this persists, raise the quota at the provider.";
    /// The provider has no such model.
    ModelNotFound => "MODEL_NOT_FOUND", permanent,
        "The provider does not know this model, or its address is wrong.",
        "Check the name of the model and the base URL of its provider.";
    /// The model did not answer in time.
    ModelTimeout => "MODEL_TIMEOUT", transient,
        "The model did not answer within the time that its provider's settings allow.",
        "Repeat the call; if this persists, ask for less or raise the time in the provider's settings.";
    /// What the model's provider sent cannot be used.
    ModelBadAnswer => "MODEL_BAD_ANSWER", transient,
        "The provider sent something that is no answer of a model, an answer that does not end as a complete one does, or one that is too long.",
        "Repeat the call; if this persists, check that the settings name the wire format which the provider speaks.";
    /// The model's answer was cut off.
    ModelAnswerTruncated => "MODEL_ANSWER_TRUNCATED", permanent,
        "The model reached its limit of tokens before its answer was complete; the part that came is not used.",
        "Allow more: in a flow, set `\"options\": { \"maxTokens\": 16000 }` in the `params` of the node; for context, `--answer-tokens 16000` when it is generated. Or ask for a shorter answer; a model that thinks first counts its thoughts.";
    /// The model declined to answer.
    ModelDeclined => "MODEL_DECLINED", permanent,
        "The model declined to answer, or its provider withheld what the model wrote.",
        "Read what the model says in the message, and change what it is asked, or ask another model.";
    /// The provider could not be reached, or hung up.
    ModelUnreachable => "MODEL_UNREACHABLE", transient,
        "The provider of the model could not be reached, or the connection ended before the answer did.",
        "Check the base URL and the network, then repeat the call.";
    /// The provider refused the request.
    ModelRefused => "MODEL_REFUSED", permanent,
        "The provider refused the request as it stands, for instance because it is too long.",
        "Read what the provider says in the message and change the request accordingly.";
    /// The provider failed on its own.
    ModelUnavailable => "MODEL_UNAVAILABLE", transient,
        "The provider of the model failed on its own or is overloaded; no answer was given.",
        "Repeat the call; if this persists, look at the status page of the provider, or name another one.";

    /// The description of a flow is refused.
    FlowInvalid => "FLOW_INVALID", permanent,
        "The description of the flow has problems, so nothing was run.",
        "Correct every problem that the message lists, and check the file with `piton flow check FILE`.";
    /// What a flow node needs or hands on is not as declared.
    FlowContractBroken => "FLOW_CONTRACT_BROKEN", permanent,
        "A value that a flow node needs or hands on is missing or not of the declared shape; the state is kept.",
        "See who packed the value with `piton backpack blame BACKPACK`. Correct that node or the declared shape in a copy of the flow, and run that from the first node that changed: `piton flow replay BACKPACK --from NODE --flow FILE`.";
    /// A flow node failed.
    FlowNodeFailed => "FLOW_NODE_FAILED", permanent,
        "A flow node failed or panicked; the run is marked as failed and its state is kept.",
        "Fix what the message names, then continue with `piton flow resume BACKPACK`: it begins with the node that failed. If the flow itself is wrong, correct a copy of it and run that instead: `piton flow replay BACKPACK --from NODE --flow FILE`.";
    /// A flow took more steps than it may.
    FlowStepLimit => "FLOW_STEP_LIMIT", permanent,
        "The flow took as many steps as its limit allows, most likely in a loop; the state is kept.",
        "Look for a loop whose condition never changes with `piton backpack log BACKPACK`, or continue with more steps: `piton flow resume BACKPACK --steps-max COUNT`.";
    /// A flow was cancelled.
    FlowCancelled => "FLOW_CANCELLED", permanent,
        "The flow was cancelled between two nodes or during one; the state is kept.",
        "Continue with `piton flow resume BACKPACK`. What the cancelled node did is not kept, so it runs again.";
    /// There is no run of this flow to resume.
    FlowNotResumable => "FLOW_NOT_RESUMABLE", permanent,
        "The backpack holds no unfinished run of this flow, or one of another version of it.",
        "Start a new run with `piton flow run FILE`, or run this one again from a node that it reached: `piton flow replay BACKPACK --from NODE`.";

    /// A node may not touch a key.
    BackpackAccessDenied => "BACKPACK_ACCESS_DENIED", permanent,
        "The node may not read or write this key; nothing changed, and the refusal is in the history.",
        "Use the keys that the node declares, or add this one to its permissions in the flow.";
    /// A key that has to be there is not.
    BackpackKeyMissing => "BACKPACK_KEY_MISSING", permanent,
        "Nothing is packed under a key that has to be there.",
        "Pack the key in a node that runs before, or read it as an optional one.";
    /// A value does not read as what was asked for.
    BackpackWrongType => "BACKPACK_WRONG_TYPE", permanent,
        "The value under the key does not have the form that was asked for.",
        "See who packed the key with `piton backpack blame BACKPACK KEY`, and read it in the form in which it was packed.";
    /// A value was too large for the history.
    BackpackUnavailable => "BACKPACK_UNAVAILABLE", permanent,
        "The value was too large to be kept in a history that is in memory only.",
        "Attach a journal, which keeps large values, or raise the largest value that the history keeps.";
    /// There is no such commit or node in the history.
    BackpackUnknownCommit => "BACKPACK_UNKNOWN_COMMIT", permanent,
        "The backpack has no such commit, or no commit by this node.",
        "List the commits with `piton backpack log BACKPACK`, and copy the id whole.";
    /// The history does not reach back so far.
    BackpackBeforeHistory => "BACKPACK_BEFORE_HISTORY", permanent,
        "The history in memory does not reach back so far, and there is no journal to read the rest from.",
        "Use the oldest commit that the message names or a later one; a backpack with a journal reaches back to the first.";
    /// A limit of a backpack is reached.
    BackpackLimitExceeded => "BACKPACK_LIMIT_EXCEEDED", permanent,
        "A fixed limit of a backpack is reached, such as the number of its keys; nothing changed.",
        "Delete keys that are no longer needed, or pack several values under one key.";
    /// A text is not a backpack.
    BackpackInvalidFormat => "BACKPACK_INVALID_FORMAT", permanent,
        "The text is not a backpack that Piton wrote; nothing was loaded.",
        "Correct the place that the message names, or export the backpack again.";
    /// A backpack has a version that this program does not know.
    BackpackUnsupportedVersion => "BACKPACK_UNSUPPORTED_VERSION", permanent,
        "The backpack has a version that this program does not know; nothing was loaded.",
        "Use the version of Piton that wrote it, or a newer one.";
    /// Another process writes to the backpack.
    BackpackLocked => "BACKPACK_LOCKED", locked,
        "Another process is writing to this backpack; it can be read in the meantime.",
        "Wait until the process that the message names is done, or end it, and repeat the call.";
    /// The backpack was closed.
    BackpackClosed => "BACKPACK_CLOSED", permanent,
        "The backpack was closed by its owner, and what it held is on disk; nothing more happens to it.",
        "Open the backpack again and continue from there.";
    /// There is no such backpack.
    BackpackNotFound => "BACKPACK_NOT_FOUND", permanent,
        "There is no backpack with this name in the data directory.",
        "List the backpacks with `piton backpack list`, and check that `PITON_DATA_DIR` is the one you mean.";
    /// A backpack, or a value in it, is damaged.
    BackpackDamaged => "BACKPACK_DAMAGED", permanent,
        "What is stored of the backpack, or of one of its values, was changed or lost after it was written.",
        "See what is wrong with `piton backpack verify BACKPACK`, and fix it with `piton backpack repair BACKPACK`, which keeps what it takes away. Whatever is not named as damaged works.";

    /// The project directory has not been scanned.
    ContextNotScanned => "CONTEXT_NOT_SCANNED", permanent,
        "The project directory has not been scanned, so nothing is known of its files.",
        "Scan it with `piton context scan`, then repeat the call.";
    /// The project directory cannot be read.
    ContextUnreadable => "CONTEXT_UNREADABLE", permanent,
        "The project directory itself cannot be read; nothing was recorded.",
        "Check that the directory exists and that you may read it, then repeat the call.";
    /// There is no such tree node.
    ContextNodeNotFound => "CONTEXT_NODE_NOT_FOUND", permanent,
        "The tree has no file or directory with this path or id.",
        "Check the path, and whether an ignore rule leaves the file out. A new file needs no scan: it is found as soon as it is there.";
    /// There is no such tree.
    ContextRootNotFound => "CONTEXT_ROOT_NOT_FOUND", permanent,
        "No recorded tree has this digest, number or label.",
        "List the recorded trees with `piton context history`, and name one of them.";
    /// There is no such frame.
    ContextFrameNotFound => "CONTEXT_FRAME_NOT_FOUND", permanent,
        "There is no frame with this id, or none of this type at this path.",
        "List the frames that are there with `piton context list-frames PATH`.";
    /// A beginning of an id fits several.
    ContextAmbiguous => "CONTEXT_AMBIGUOUS", permanent,
        "The beginning of an id fits more than one.",
        "Give more digits of the id, or name the file or directory by its path.";
    /// A tree node has changed since.
    ContextNodeStale => "CONTEXT_NODE_STALE", permanent,
        "The file or directory has changed since the id was read; nothing was written.",
        "Read the node again and write for its current id, or allow stale ids.";
    /// There is no such agent.
    ContextUnknownAgent => "CONTEXT_UNKNOWN_AGENT", permanent,
        "No agent of this name is configured.",
        "Add the agent to `piton.toml`, or use the name of a configured one.";
    /// The role of the agent does not allow it.
    ContextForbidden => "CONTEXT_FORBIDDEN", permanent,
        "The role of the agent does not allow the call; nothing was written.",
        "Use an agent whose role allows it, or give this one another role in `piton.toml`.";
    /// Directories below lack the frame that a synthesis is made from.
    ContextIncomplete => "CONTEXT_INCOMPLETE", permanent,
        "What lies in the directory lacks the frames that the synthesis is made from; nothing was written.",
        "Synthesise those directories first, or ask for a recursive synthesis.";
    /// What is stored is not what its id says.
    ContextIntegrity => "CONTEXT_INTEGRITY", permanent,
        "Stored context was changed after it was written; it was not used.",
        "See what is damaged with `piton context validate`, and fix it with `piton context repair`: it takes out exactly what is damaged, keeps it, and rebuilds the rest.";

    /// A path is written in a way that is refused.
    WorkspaceBadPath => "WORKSPACE_BAD_PATH", permanent,
        "The path is written in a way that is refused before anything is looked at.",
        "Write the path as `/name/name`, with the names as the map of Workspaces and `ls` give them.";
    /// No Workspace covers the path.
    WorkspaceUnmapped => "WORKSPACE_UNMAPPED", permanent,
        "No Workspace covers the path, so nothing there can be touched.",
        "Use a path below one of the Workspaces that the message lists.";
    /// The Access Scope forbids the operation.
    WorkspaceScope => "WORKSPACE_SCOPE", permanent,
        "The Access Scope of the Workspace does not permit this operation; its Store was not asked.",
        "Use one of the Workspaces that the message lists, or do without the operation.";
    /// A name is hidden by configuration.
    WorkspaceHidden => "WORKSPACE_HIDDEN", permanent,
        "The configuration of the Workspace hides this name from every operation.",
        "Go on without this file; only the person who configures the Workspace can show it.";
    /// Agents only read this name.
    WorkspaceProtected => "WORKSPACE_PROTECTED", permanent,
        "Agents only read this name in every Workspace, because it decides what agents may do or makes a program run something by itself; nothing was changed.",
        "Leave it as it is, and tell the person what you would change there.";
    /// There is no such file or directory.
    WorkspaceNotFound => "WORKSPACE_NOT_FOUND", permanent,
        "There is no file or directory with this path.",
        "List the directory with `ls`, or find the file with `glob`.";
    /// A link stands in the way.
    WorkspaceLink => "WORKSPACE_LINK", permanent,
        "A part of the path is a link, and links are not followed here.",
        "Use the path of the file itself; `ls` marks links.";
    /// Something is mounted inside a Workspace.
    WorkspaceMount => "WORKSPACE_MOUNT", permanent,
        "A part of the path is the place where another file system, or a directory from elsewhere, is mounted inside the Workspace.",
        "Do without it; only the person can open it, with `mounts = true` in the configuration of the Workspace.";
    /// It is no regular file.
    WorkspaceNotRegular => "WORKSPACE_NOT_REGULAR", permanent,
        "The path names a pipe, a socket or a device, which is never opened.",
        "Use a regular file; `ls` marks what is none.";
    /// It is a directory.
    WorkspaceIsDirectory => "WORKSPACE_IS_DIRECTORY", permanent,
        "The path names a directory, and the operation needs a file.",
        "List it with `ls` and name a file in it.";
    /// It is no directory.
    WorkspaceNotDirectory => "WORKSPACE_NOT_DIRECTORY", permanent,
        "A part of the path names a file where a directory is needed.",
        "List the directories above it with `ls`, one by one, to find the name that is a file.";
    /// There is something already.
    WorkspaceExists => "WORKSPACE_EXISTS", permanent,
        "There is something at the target already, and it is not overwritten.",
        "Choose another path, or delete what is there first.";
    /// The directory is not empty.
    WorkspaceNotEmpty => "WORKSPACE_NOT_EMPTY", permanent,
        "The directory holds something, and the call does not say to delete that too.",
        "Repeat the call with `recursive` set to true if everything in it shall go.";
    /// The file is not UTF-8 text.
    WorkspaceNotText => "WORKSPACE_NOT_TEXT", permanent,
        "The file is not UTF-8 text, so it is neither shown nor edited; its bytes are untouched.",
        "Use `stat` for its size, or `copy` and `move`, which keep its bytes.";
    /// The file or the content is too large.
    WorkspaceTooLarge => "WORKSPACE_TOO_LARGE", permanent,
        "The file or the content is larger than this operation takes; nothing was changed.",
        "Work on a part: `read` with `offset` and `limit`, `grep`, or several smaller files.";
    /// A limit of the operation is reached.
    WorkspaceLimit => "WORKSPACE_LIMIT", permanent,
        "The request is larger or more complex than this operation takes; nothing was changed.",
        "Make the request smaller or simpler, as the message says.";
    /// The text to replace does not occur.
    WorkspaceNoMatch => "WORKSPACE_NO_MATCH", permanent,
        "The text to replace does not occur in the file, so nothing was changed.",
        "Read the file again and copy the text exactly, with its blanks and line ends.";
    /// The text to replace occurs more than once.
    WorkspaceAmbiguous => "WORKSPACE_AMBIGUOUS", permanent,
        "The text to replace occurs more than once, so nothing was changed.",
        "Take in more lines around the place so that the text occurs once, or set `replace_all`.";
    /// The file changed since it was read.
    WorkspaceConflict => "WORKSPACE_CONFLICT", permanent,
        "The file is not the version that the call names, so nothing was overwritten.",
        "Read the file again and repeat the change on what it holds now.";
    /// The operating system refused access.
    WorkspacePermission => "WORKSPACE_PERMISSION", permanent,
        "The operating system does not let this process do that.",
        "Go on without it, or ask the person who runs Piton to change the permissions.";
    /// The quota of the Workspace is used up.
    WorkspaceQuota => "WORKSPACE_QUOTA", permanent,
        "The change would take the Workspace over its quota; nothing was written.",
        "Delete what is no longer needed in this Workspace, or write less.";
    /// The directory holds another Workspace.
    WorkspaceInner => "WORKSPACE_INNER", permanent,
        "The directory holds another Workspace, so it is not deleted, moved or copied as a whole.",
        "Work on the entries beside the inner Workspace one by one.";
    /// Somebody else is changing the same place.
    WorkspaceBusy => "WORKSPACE_BUSY", locked,
        "Another process was changing the same place for longer than this call waits.",
        "Repeat the call; if this persists, make sure that no other process hangs.";
    /// The file could not be read or written.
    WorkspaceIo => "WORKSPACE_IO", transient,
        "The operating system reported an error while the file was read or written; the old content is still there.",
        "Repeat the call; if it fails again, tell the person who runs Piton.";
    /// An argument of a file tool is not valid.
    WorkspaceBadArgument => "WORKSPACE_BAD_ARGUMENT", permanent,
        "An argument of the call is missing, unknown or not allowed.",
        "Correct the argument that the message names and call again.";
    /// A write to a write-only Workspace failed.
    WorkspaceWriteFailed => "WORKSPACE_WRITE_FAILED", permanent,
        "The write did not succeed; a write-only Workspace says no more than that.",
        "Write under another name, or ask the person who runs Piton.";
    /// The Workspaces are not configured correctly.
    WorkspaceConfig => "WORKSPACE_CONFIG", permanent,
        "The configuration of the Workspaces was refused, so there is no file access.",
        "Correct every problem that the message names, then start again.";

    /// The browser is not signed in to the console.
    ConsoleSignInRequired => "CONSOLE_SIGN_IN_REQUIRED", permanent,
        "The browser is not signed in to the console, or its sign-in ended.",
        "Open the link that `piton console link` prints.";
    /// The link to the console cannot be used.
    ConsoleLinkInvalid => "CONSOLE_LINK_INVALID", permanent,
        "The link to the console works once and for ten minutes, and this one does not work any more.",
        "Make another link with `piton console link`, and open it.";
    /// A request to the console does not come from its own page.
    ConsoleOriginRefused => "CONSOLE_ORIGIN_REFUSED", permanent,
        "The request does not come from the console's own page, so nothing was done.",
        "Open the console at the address that `piton console` prints, or set `console.public_url` to the address that you use.";

    /// The caller sent something that is not valid.
    ValidationError => "VALIDATION_ERROR", permanent,
        "The call carries something that is missing, malformed or not allowed.",
        "Correct the input that the message names and call again.";

    /// Piton broke a promise of its own.
    InternalError => "INTERNAL_ERROR", permanent,
        "The call met a fault in Piton itself; what was recorded before it stays recorded.",
        "Find the run with `resume_session`, continue it from where it stands, and report the fault.";
}

impl Code {
    /// Returns the part of the system that the failure comes from, which the name begins with.
    pub fn domain(self) -> Domain {
        let (domain, _) = self.as_str().split_once('_').expect("a code has several words");
        domain.to_lowercase().parse().expect("every code begins with the name of its domain")
    }

    /// Returns the meaning of the code, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.facts().meaning
    }

    /// Returns the next thing to do, for callers that know nothing more specific.
    pub const fn advice(self) -> &'static str {
        self.facts().advice
    }

    /// Returns the retry rule, for callers that know nothing more specific.
    pub const fn retry(self) -> Retry {
        self.facts().retry
    }
}

crate::closed_set! {
    /// Where an error comes from; every code belongs to one domain and starts with its name.
    pub enum Domain {
        /// The storage adapters.
        Store => "store",
        /// One session: its lock and its health.
        Session => "session",
        /// The keys that sign tokens.
        Keyring => "keyring",
        /// The token that the caller sent.
        Token => "token",
        /// A bundle that the caller wants imported.
        Bundle => "bundle",
        /// A language model and its provider.
        Model => "model",
        /// A flow: its description and its runs.
        Flow => "flow",
        /// A backpack.
        Backpack => "backpack",
        /// The tree and the frames of a project.
        Context => "context",
        /// The files of a Workspace.
        Workspace => "workspace",
        /// A browser at the console.
        Console => "console",
        /// What the caller sent.
        Validation => "validation",
        /// Piton itself.
        Internal => "internal",
    }
}

impl Domain {
    /// Returns the origin of the errors of the domain, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Store => "the storage of the data directory",
            Self::Session => "one session: its lock and its health",
            Self::Keyring => "the keys that sign tokens",
            Self::Token => "a token that the caller sent",
            Self::Bundle => "a bundle that the caller wants imported",
            Self::Model => "a language model and its provider",
            Self::Flow => "a flow: its description and its runs",
            Self::Backpack => "a backpack",
            Self::Context => "the tree and the frames of a project",
            Self::Workspace => "the files of a Workspace",
            Self::Console => "a browser at the console",
            Self::Validation => "what the caller sent",
            Self::Internal => "Piton itself",
        }
    }
}
