//! Every error code, with its meaning, its advice and its retry rule.
//!
//! *Invariants*: a code never changes its meaning and is never used for another; a code that is no
//! longer produced stays. Advice says what to do next and names no time: that is what [`Retry`] is for,
//! except for locks, where a person needs to know that waiting is all it takes.

use super::domain::Domain;
use super::retry::Retry;
use crate::bounds::LOCK_RETRY_AFTER_MS;

crate::closed_set! {
    /// What kind of failure it is.
    pub enum Code {
        /// Reading or writing failed.
        StoreIo => "STORE_IO",
        /// There is no room.
        StoreFull => "STORE_FULL",
        /// Another process uses the same data.
        StoreBusy => "STORE_BUSY",
        /// The data changed in between.
        StoreConflict => "STORE_CONFLICT",
        /// The stored data contradicts itself.
        StoreInvariantViolation => "STORE_INVARIANT_VIOLATION",
        /// A blob is not what its digest says.
        StoreCorruptBlob => "STORE_CORRUPT_BLOB",
        /// There is no such thing.
        StoreNotFound => "STORE_NOT_FOUND",
        /// The data has a version that this program does not know.
        StoreUnsupportedVersion => "STORE_UNSUPPORTED_VERSION",
        /// The file system cannot keep the promises of the store.
        StoreUnsupportedFilesystem => "STORE_UNSUPPORTED_FILESYSTEM",
        /// A limit of the store is reached.
        StoreLimitExceeded => "STORE_LIMIT_EXCEEDED",
        /// Another process writes to the session.
        SessionLocked => "SESSION_LOCKED",
        /// The session failed validation.
        SessionNotHealthy => "SESSION_NOT_HEALTHY",
        /// A write to the session had an unknown outcome.
        SessionPoisoned => "SESSION_POISONED",
        /// There is no such session.
        SessionNotFound => "SESSION_NOT_FOUND",
        /// The keys are damaged.
        KeyringCorrupt => "KEYRING_CORRUPT",
        /// A text is not a token.
        TokenInvalidFormat => "TOKEN_INVALID_FORMAT",
        /// A token has a version that this program does not know.
        TokenUnsupportedVersion => "TOKEN_UNSUPPORTED_VERSION",
        /// No key in use signed the token.
        TokenBadSignature => "TOKEN_BAD_SIGNATURE",
        /// A token does not belong where it stands.
        TokenScopeMismatch => "TOKEN_SCOPE_MISMATCH",
        /// A token names a session, run or node that is not there.
        TokenUnknownNode => "TOKEN_UNKNOWN_NODE",
        /// A token names another workflow than the run is pinned to.
        TokenWorkflowHashMismatch => "TOKEN_WORKFLOW_HASH_MISMATCH",
        /// Another process writes to the session of the token.
        TokenSessionLocked => "TOKEN_SESSION_LOCKED",
        /// A token names a step that its run has left.
        TokenStepPassed => "TOKEN_STEP_PASSED",
        /// A call must say which step it belongs to.
        TokenRunRequired => "TOKEN_RUN_REQUIRED",
        /// A text is not a bundle.
        BundleInvalidFormat => "BUNDLE_INVALID_FORMAT",
        /// A bundle has a version that this program does not know.
        BundleUnsupportedVersion => "BUNDLE_UNSUPPORTED_VERSION",
        /// A part of a bundle is not what its digest says, or is gone.
        BundleIntegrityFailed => "BUNDLE_INTEGRITY_FAILED",
        /// A snapshot that the events name is not in the bundle.
        BundleMissingSnapshot => "BUNDLE_MISSING_SNAPSHOT",
        /// A workflow that a run is pinned to is not in the bundle.
        BundleMissingPinnedWorkflow => "BUNDLE_MISSING_PINNED_WORKFLOW",
        /// The events of a bundle are not the log of a session.
        BundleEventOrderInvalid => "BUNDLE_EVENT_ORDER_INVALID",
        /// The control records of a bundle do not attest its events.
        BundleManifestOrderInvalid => "BUNDLE_MANIFEST_ORDER_INVALID",
        /// No provider or model is configured for the call.
        ModelNotConfigured => "MODEL_NOT_CONFIGURED",
        /// The provider refused the key.
        ModelAuthFailed => "MODEL_AUTH_FAILED",
        /// The provider takes no more calls for now.
        ModelRateLimited => "MODEL_RATE_LIMITED",
        /// The provider has no such model.
        ModelNotFound => "MODEL_NOT_FOUND",
        /// The model did not answer in time.
        ModelTimeout => "MODEL_TIMEOUT",
        /// What the model's provider sent cannot be used.
        ModelBadAnswer => "MODEL_BAD_ANSWER",
        /// The provider could not be reached, or hung up.
        ModelUnreachable => "MODEL_UNREACHABLE",
        /// The provider refused the request.
        ModelRefused => "MODEL_REFUSED",
        /// The provider failed on its own.
        ModelUnavailable => "MODEL_UNAVAILABLE",
        /// The description of a flow is refused.
        FlowInvalid => "FLOW_INVALID",
        /// What a flow node needs or hands on is not as declared.
        FlowContractBroken => "FLOW_CONTRACT_BROKEN",
        /// A flow node failed.
        FlowNodeFailed => "FLOW_NODE_FAILED",
        /// A flow took more steps than it may.
        FlowStepLimit => "FLOW_STEP_LIMIT",
        /// A flow was cancelled.
        FlowCancelled => "FLOW_CANCELLED",
        /// There is no run of this flow to resume.
        FlowNotResumable => "FLOW_NOT_RESUMABLE",
        /// A node may not touch a key.
        BackpackAccessDenied => "BACKPACK_ACCESS_DENIED",
        /// A key that has to be there is not.
        BackpackKeyMissing => "BACKPACK_KEY_MISSING",
        /// A value does not read as what was asked for.
        BackpackWrongType => "BACKPACK_WRONG_TYPE",
        /// A value was too large for the history.
        BackpackUnavailable => "BACKPACK_UNAVAILABLE",
        /// There is no such commit or node in the history.
        BackpackUnknownCommit => "BACKPACK_UNKNOWN_COMMIT",
        /// The history does not reach back so far.
        BackpackBeforeHistory => "BACKPACK_BEFORE_HISTORY",
        /// A limit of a backpack is reached.
        BackpackLimitExceeded => "BACKPACK_LIMIT_EXCEEDED",
        /// A text is not a backpack.
        BackpackInvalidFormat => "BACKPACK_INVALID_FORMAT",
        /// A backpack has a version that this program does not know.
        BackpackUnsupportedVersion => "BACKPACK_UNSUPPORTED_VERSION",
        /// Another process writes to the backpack.
        BackpackLocked => "BACKPACK_LOCKED",
        /// The backpack was closed.
        BackpackClosed => "BACKPACK_CLOSED",
        /// There is no such backpack.
        BackpackNotFound => "BACKPACK_NOT_FOUND",
        /// The project directory has not been scanned.
        ContextNotScanned => "CONTEXT_NOT_SCANNED",
        /// The project directory cannot be read.
        ContextUnreadable => "CONTEXT_UNREADABLE",
        /// There is no such tree node.
        ContextNodeNotFound => "CONTEXT_NODE_NOT_FOUND",
        /// There is no such tree.
        ContextRootNotFound => "CONTEXT_ROOT_NOT_FOUND",
        /// There is no such frame.
        ContextFrameNotFound => "CONTEXT_FRAME_NOT_FOUND",
        /// A beginning of an id fits several.
        ContextAmbiguous => "CONTEXT_AMBIGUOUS",
        /// A tree node has changed since.
        ContextNodeStale => "CONTEXT_NODE_STALE",
        /// There is no such agent.
        ContextUnknownAgent => "CONTEXT_UNKNOWN_AGENT",
        /// The role of the agent does not allow it.
        ContextForbidden => "CONTEXT_FORBIDDEN",
        /// Directories below lack the frame that a synthesis is made from.
        ContextIncomplete => "CONTEXT_INCOMPLETE",
        /// What is stored is not what its id says.
        ContextIntegrity => "CONTEXT_INTEGRITY",
        /// A path is written in a way that is refused.
        WorkspaceBadPath => "WORKSPACE_BAD_PATH",
        /// No Workspace covers the path.
        WorkspaceUnmapped => "WORKSPACE_UNMAPPED",
        /// The Access Scope forbids the operation.
        WorkspaceScope => "WORKSPACE_SCOPE",
        /// A name is hidden by configuration.
        WorkspaceHidden => "WORKSPACE_HIDDEN",
        /// There is no such file or directory.
        WorkspaceNotFound => "WORKSPACE_NOT_FOUND",
        /// A link stands in the way.
        WorkspaceLink => "WORKSPACE_LINK",
        /// It is no regular file.
        WorkspaceNotRegular => "WORKSPACE_NOT_REGULAR",
        /// It is a directory.
        WorkspaceIsDirectory => "WORKSPACE_IS_DIRECTORY",
        /// It is no directory.
        WorkspaceNotDirectory => "WORKSPACE_NOT_DIRECTORY",
        /// There is something already.
        WorkspaceExists => "WORKSPACE_EXISTS",
        /// The directory is not empty.
        WorkspaceNotEmpty => "WORKSPACE_NOT_EMPTY",
        /// The file is not UTF-8 text.
        WorkspaceNotText => "WORKSPACE_NOT_TEXT",
        /// The file or the content is too large.
        WorkspaceTooLarge => "WORKSPACE_TOO_LARGE",
        /// A limit of the operation is reached.
        WorkspaceLimit => "WORKSPACE_LIMIT",
        /// The text to replace does not occur.
        WorkspaceNoMatch => "WORKSPACE_NO_MATCH",
        /// The text to replace occurs more than once.
        WorkspaceAmbiguous => "WORKSPACE_AMBIGUOUS",
        /// The file changed since it was read.
        WorkspaceConflict => "WORKSPACE_CONFLICT",
        /// The operating system refused access.
        WorkspacePermission => "WORKSPACE_PERMISSION",
        /// The quota of the Workspace is used up.
        WorkspaceQuota => "WORKSPACE_QUOTA",
        /// The directory holds another Workspace.
        WorkspaceInner => "WORKSPACE_INNER",
        /// Somebody else is changing the same place.
        WorkspaceBusy => "WORKSPACE_BUSY",
        /// The file could not be read or written.
        WorkspaceIo => "WORKSPACE_IO",
        /// An argument of a file tool is not valid.
        WorkspaceBadArgument => "WORKSPACE_BAD_ARGUMENT",
        /// A write to a write-only Workspace failed.
        WorkspaceWriteFailed => "WORKSPACE_WRITE_FAILED",
        /// The Workspaces are not configured correctly.
        WorkspaceConfig => "WORKSPACE_CONFIG",
        /// The caller sent something that is not valid.
        ValidationError => "VALIDATION_ERROR",
        /// Piton broke a promise of its own.
        InternalError => "INTERNAL_ERROR",
    }
}

/// What is said about a code in one place.
struct Facts {
    domain: Domain,
    meaning: &'static str,
    advice: &'static str,
    retry: Retry,
}

const LOCK_RETRY: Retry = Retry::RetryableAfterMs { after_ms: LOCK_RETRY_AFTER_MS };

impl Code {
    /// Where the failure comes from.
    pub const fn domain(self) -> Domain {
        self.facts().domain
    }

    /// What the code means, in one sentence.
    pub const fn meaning(self) -> &'static str {
        self.facts().meaning
    }

    /// What to do next, unless the place where it happened knows better.
    pub const fn advice(self) -> &'static str {
        self.facts().advice
    }

    /// Whether trying again can help, unless the place where it happened knows better.
    pub const fn retry(self) -> Retry {
        self.facts().retry
    }

    #[expect(clippy::too_many_lines, reason = "it is a table with an entry for each code")]
    const fn facts(self) -> Facts {
        match self {
            Self::StoreIo => Facts {
                domain: Domain::Store,
                meaning: "The operating system reported an error while data was read or written.",
                advice: "Check that the data directory exists, is writable and its disk is healthy, then repeat the call.",
                retry: Retry::RetryableImmediate,
            },
            Self::StoreFull => Facts {
                domain: Domain::Store,
                meaning: "There is no room left on the disk or in the quota; nothing was recorded.",
                advice: "Free space on the disk of the data directory, then repeat the call.",
                retry: Retry::NotRetryable,
            },
            Self::StoreBusy => Facts {
                domain: Domain::Store,
                meaning: "Another process held shared data for longer than this call waits.",
                advice: "Repeat the call; if this persists, make sure that no other Piton process hangs.",
                retry: LOCK_RETRY,
            },
            Self::StoreConflict => Facts {
                domain: Domain::Store,
                meaning: "The data changed between reading and writing it, so nothing was written.",
                advice: "Read the current state and repeat the call on top of it.",
                retry: Retry::RetryableImmediate,
            },
            Self::StoreInvariantViolation => Facts {
                domain: Domain::Store,
                meaning: "The stored data contradicts itself, or a write would make it do so.",
                advice: "Run `piton session verify` to see what is wrong, and keep a copy of the data directory before repairing anything.",
                retry: Retry::NotRetryable,
            },
            Self::StoreCorruptBlob => Facts {
                domain: Domain::Store,
                meaning: "A stored blob does not have the digest that it is stored under.",
                advice: "Restore the data directory from a backup; Piton does not use a damaged blob.",
                retry: Retry::NotRetryable,
            },
            Self::StoreNotFound => Facts {
                domain: Domain::Store,
                meaning: "Nothing is stored under this reference.",
                advice: "Check the reference; if it came from Piton, the data behind it has been deleted.",
                retry: Retry::NotRetryable,
            },
            Self::StoreUnsupportedVersion => Facts {
                domain: Domain::Store,
                meaning: "The data was written in a format version that this program does not know.",
                advice: "Use the version of Piton that wrote the data, or a newer one.",
                retry: Retry::NotRetryable,
            },
            Self::StoreUnsupportedFilesystem => Facts {
                domain: Domain::Store,
                meaning: "The file system of the data directory cannot lock files or confirm writes reliably.",
                advice: "Set `PITON_DATA_DIR` to a directory on a local disk.",
                retry: Retry::NotRetryable,
            },
            Self::StoreLimitExceeded => Facts {
                domain: Domain::Store,
                meaning: "A fixed limit of the store is reached, such as the size of one record.",
                advice: "Make the data smaller or split it over several calls.",
                retry: Retry::NotRetryable,
            },
            Self::SessionLocked => Facts {
                domain: Domain::Session,
                meaning: "Another process is writing to this session at the moment.",
                advice: "Retry in one second; if this persists, make sure that no other Piton process works on the same session.",
                retry: LOCK_RETRY,
            },
            Self::SessionNotHealthy => Facts {
                domain: Domain::Session,
                meaning: "The session's log failed validation, so nothing may be added to it.",
                advice: "Run `piton session verify` to see the damage, then `piton session repair`, which keeps a backup.",
                retry: Retry::NotRetryable,
            },
            Self::SessionPoisoned => Facts {
                domain: Domain::Session,
                meaning: "A write to this session failed on the disk, so what the disk holds is not known and no process may write to it.",
                advice: "Check the disk, then run `piton session verify`: it reads the session again from the disk, and opens it for writing if it is whole.",
                retry: Retry::NotRetryable,
            },
            Self::SessionNotFound => Facts {
                domain: Domain::Session,
                meaning: "There is no session with this id in the data directory.",
                advice: "List the sessions with `piton session list`, and check that `PITON_DATA_DIR` is the one you mean.",
                retry: Retry::NotRetryable,
            },
            Self::KeyringCorrupt => Facts {
                domain: Domain::Keyring,
                meaning: "The keyring is damaged, so tokens can be neither signed nor checked.",
                advice: "Restore the keyring from a backup; without one, make new keys with `piton keys rotate` and resume each run to get new tokens.",
                retry: Retry::NotRetryable,
            },
            Self::TokenInvalidFormat => Facts {
                domain: Domain::Token,
                meaning: "The text is not a token that Piton writes: it was cut, changed or made up.",
                advice: "Copy the token whole from the last reply of this run; if that reply is lost, find the run with `resume_session`.",
                retry: Retry::NotRetryable,
            },
            Self::TokenUnsupportedVersion => Facts {
                domain: Domain::Token,
                meaning: "The token has a version that this program does not know.",
                advice: "Use the version of Piton that made the token or a newer one, or find the run with `resume_session` to get a token of this version.",
                retry: Retry::NotRetryable,
            },
            Self::TokenBadSignature => Facts {
                domain: Domain::Token,
                meaning: "No key in use signed this token: it was changed, it comes from another data directory, or the keys were rotated twice since.",
                advice: "Copy the token whole from the last reply of this run; if it is still refused, find the run with `resume_session` to get a new one.",
                retry: Retry::NotRetryable,
            },
            Self::TokenScopeMismatch => Facts {
                domain: Domain::Token,
                meaning: "The token does not belong where it stands: it is of another kind, or it names another node than the token next to it.",
                advice: "Send the tokens of one reply of one run, each under the name that the reply gives it; an ackToken alone advances and a stateToken alone reads.",
                retry: Retry::NotRetryable,
            },
            Self::TokenStepPassed => Facts {
                domain: Domain::Token,
                meaning: "The token names a step that its run has left, and what may be touched depends on the step.",
                advice: "Send as `run` the ackToken of the run's last reply; continue_workflow with its stateToken tells it.",
                retry: Retry::NotRetryable,
            },
            Self::TokenRunRequired => Facts {
                domain: Domain::Token,
                meaning: "What may be touched depends on the step that a call belongs to, and the call does not name one.",
                advice: "Send as `run` the ackToken of the step that you are at: the nextCall of the last reply has it.",
                retry: Retry::NotRetryable,
            },
            Self::TokenUnknownNode => Facts {
                domain: Domain::Token,
                meaning: "The token names a session, run or node that is not in this data directory.",
                advice: "Find the run with `resume_session`; if it is not listed, it was deleted or lies in another data directory.",
                retry: Retry::NotRetryable,
            },
            Self::TokenWorkflowHashMismatch => Facts {
                domain: Domain::Token,
                meaning: "The token names another version of the workflow than the one that its run is pinned to.",
                advice: "Find the run with `resume_session` and go on with the token that it gives.",
                retry: Retry::NotRetryable,
            },
            Self::TokenSessionLocked => Facts {
                domain: Domain::Token,
                meaning: "Another process is writing to the session of this token at the moment.",
                advice: "Retry in one second with the same token; if this persists, make sure that no other Piton process works on the same session.",
                retry: LOCK_RETRY,
            },
            Self::BundleInvalidFormat => Facts {
                domain: Domain::Bundle,
                meaning: "The file is not a bundle of a session that Piton exports; nothing was imported.",
                advice: "Export the session again with `piton session export`, and import the file as it is.",
                retry: Retry::NotRetryable,
            },
            Self::BundleUnsupportedVersion => Facts {
                domain: Domain::Bundle,
                meaning: "The bundle has a version that this program does not know; nothing was imported.",
                advice: "Import it with the version of Piton that exported it, or a newer one.",
                retry: Retry::NotRetryable,
            },
            Self::BundleIntegrityFailed => Facts {
                domain: Domain::Bundle,
                meaning: "A part of the bundle was changed or removed after the export; nothing was imported.",
                advice: "Copy the bundle again from where it was exported; if it is still refused, export the session again.",
                retry: Retry::NotRetryable,
            },
            Self::BundleMissingSnapshot => Facts {
                domain: Domain::Bundle,
                meaning: "A snapshot that a run needs to go on is not in the bundle; nothing was imported.",
                advice: "Export the session again; a bundle holds every snapshot that its events name.",
                retry: Retry::NotRetryable,
            },
            Self::BundleMissingPinnedWorkflow => Facts {
                domain: Domain::Bundle,
                meaning: "A workflow that a run is pinned to is not in the bundle; nothing was imported.",
                advice: "Export the session again; a bundle holds every workflow that its runs are pinned to.",
                retry: Retry::NotRetryable,
            },
            Self::BundleEventOrderInvalid => Facts {
                domain: Domain::Bundle,
                meaning: "The events of the bundle are out of order, or one contradicts those before it; nothing was imported.",
                advice: "Check the session that it came from with `piton session verify`, and export it again.",
                retry: Retry::NotRetryable,
            },
            Self::BundleManifestOrderInvalid => Facts {
                domain: Domain::Bundle,
                meaning: "The control records of the bundle are out of order, or do not fit its events; nothing was imported.",
                advice: "Verify the session that it came from with `piton session verify`, then make a new bundle.",
                retry: Retry::NotRetryable,
            },
            Self::ModelNotConfigured => Facts {
                domain: Domain::Model,
                meaning: "No provider of models, or no model of it, is configured for this call; nothing was sent.",
                advice: "Configure a provider with its model under `[models]` in the configuration file, and name there where its key lies.",
                retry: Retry::NotRetryable,
            },
            Self::ModelAuthFailed => Facts {
                domain: Domain::Model,
                meaning: "The provider of the model refused the key; no answer was given.",
                advice: "Check that the key which the provider's settings refer to is the right one and may use this model.",
                retry: Retry::NotRetryable,
            },
            Self::ModelRateLimited => Facts {
                domain: Domain::Model,
                meaning: "The provider of the model takes no more calls for now; no answer was given.",
                advice: "Wait as long as the retry rule says, then repeat the call; if this persists, raise the quota at the provider.",
                retry: Retry::RetryableImmediate,
            },
            Self::ModelNotFound => Facts {
                domain: Domain::Model,
                meaning: "The provider does not know this model, or its address is wrong.",
                advice: "Check the name of the model and the base URL of its provider.",
                retry: Retry::NotRetryable,
            },
            Self::ModelTimeout => Facts {
                domain: Domain::Model,
                meaning: "The model did not answer within the time that its provider's settings allow.",
                advice: "Repeat the call; if this persists, ask for less or raise the time in the provider's settings.",
                retry: Retry::RetryableImmediate,
            },
            Self::ModelBadAnswer => Facts {
                domain: Domain::Model,
                meaning: "The provider sent something that is no answer of a model, or an answer that is too long.",
                advice: "Repeat the call; if this persists, check that the settings name the wire format which the provider speaks.",
                retry: Retry::RetryableImmediate,
            },
            Self::ModelUnreachable => Facts {
                domain: Domain::Model,
                meaning: "The provider of the model could not be reached, or the connection ended before the answer did.",
                advice: "Check the base URL and the network, then repeat the call.",
                retry: Retry::RetryableImmediate,
            },
            Self::ModelRefused => Facts {
                domain: Domain::Model,
                meaning: "The provider refused the request as it stands, for instance because it is too long.",
                advice: "Read what the provider says in the message and change the request accordingly.",
                retry: Retry::NotRetryable,
            },
            Self::ModelUnavailable => Facts {
                domain: Domain::Model,
                meaning: "The provider of the model failed on its own or is overloaded; no answer was given.",
                advice: "Repeat the call; if this persists, look at the status page of the provider, or name another one.",
                retry: Retry::RetryableImmediate,
            },
            Self::FlowInvalid => Facts {
                domain: Domain::Flow,
                meaning: "The description of the flow has problems, so nothing was run.",
                advice: "Correct every problem that the message lists, and look again with `piton flow check`.",
                retry: Retry::NotRetryable,
            },
            Self::FlowContractBroken => Facts {
                domain: Domain::Flow,
                meaning: "A value that a flow node needs or hands on is missing or not of the declared shape; the state is kept.",
                advice: "Look who packed the value with `piton backpack blame`, correct that node or the declared shape, then go on with `piton flow resume`.",
                retry: Retry::NotRetryable,
            },
            Self::FlowNodeFailed => Facts {
                domain: Domain::Flow,
                meaning: "A flow node failed or panicked; the run is marked as failed and its state is kept.",
                advice: "Mend what the message names, then go on with `piton flow resume`: it begins with the node that failed.",
                retry: Retry::NotRetryable,
            },
            Self::FlowStepLimit => Facts {
                domain: Domain::Flow,
                meaning: "The flow took as many steps as its limit allows, most likely in a loop; the state is kept.",
                advice: "Look for a loop whose condition never changes with `piton backpack log`, or raise --steps-max and go on with `piton flow resume`.",
                retry: Retry::NotRetryable,
            },
            Self::FlowCancelled => Facts {
                domain: Domain::Flow,
                meaning: "The flow was cancelled between two nodes or during one; the state is kept.",
                advice: "Go on with `piton flow resume`; what the cancelled node did is not kept, so it runs again.",
                retry: Retry::NotRetryable,
            },
            Self::FlowNotResumable => Facts {
                domain: Domain::Flow,
                meaning: "The backpack holds no unfinished run of this flow, or one of another version of it.",
                advice: "Start a new run with `piton flow run`, or go on with the description of the flow that the run began with.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackAccessDenied => Facts {
                domain: Domain::Backpack,
                meaning: "The node may not read or write this key; nothing changed, and the refusal is in the history.",
                advice: "Use the keys that the node declares, or add this one to its permissions in the flow.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackKeyMissing => Facts {
                domain: Domain::Backpack,
                meaning: "Nothing is packed under a key that has to be there.",
                advice: "Pack the key in a node that runs before, or read it as an optional one.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackWrongType => Facts {
                domain: Domain::Backpack,
                meaning: "The value under the key does not have the form that was asked for.",
                advice: "Look who packed the key with `piton backpack blame`, and read it in the form in which it was packed.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackUnavailable => Facts {
                domain: Domain::Backpack,
                meaning: "The value was too large to be kept in a history that is in memory only.",
                advice: "Attach a journal, which keeps large values, or raise the largest value that the history keeps.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackUnknownCommit => Facts {
                domain: Domain::Backpack,
                meaning: "The backpack has no such commit, or no commit by this node.",
                advice: "List the commits with `piton backpack log`, and copy the id whole.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackBeforeHistory => Facts {
                domain: Domain::Backpack,
                meaning: "The history in memory does not reach back so far, and there is no journal to read the rest from.",
                advice: "Use the oldest commit that the message names or a later one; a backpack with a journal reaches back to the first.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackLimitExceeded => Facts {
                domain: Domain::Backpack,
                meaning: "A fixed limit of a backpack is reached, such as the number of its keys; nothing changed.",
                advice: "Delete keys that are no longer needed, or pack several values under one key.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackInvalidFormat => Facts {
                domain: Domain::Backpack,
                meaning: "The text is not a backpack that Piton wrote; nothing was loaded.",
                advice: "Correct the place that the message names, or export the backpack again.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackUnsupportedVersion => Facts {
                domain: Domain::Backpack,
                meaning: "The backpack has a version that this program does not know; nothing was loaded.",
                advice: "Use the version of Piton that wrote it, or a newer one.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackLocked => Facts {
                domain: Domain::Backpack,
                meaning: "Another process is writing to this backpack; it can be read in the meantime.",
                advice: "Wait until the process that the message names is done, or end it, and repeat the call.",
                retry: LOCK_RETRY,
            },
            Self::BackpackClosed => Facts {
                domain: Domain::Backpack,
                meaning: "The backpack was closed by its owner, and what it held is on disk; nothing more happens to it.",
                advice: "Open the backpack again and go on from there.",
                retry: Retry::NotRetryable,
            },
            Self::BackpackNotFound => Facts {
                domain: Domain::Backpack,
                meaning: "There is no backpack with this name in the data directory.",
                advice: "List the backpacks with `piton backpack list`, and check that `PITON_DATA_DIR` is the one you mean.",
                retry: Retry::NotRetryable,
            },
            Self::ContextNotScanned => Facts {
                domain: Domain::Context,
                meaning: "The project directory has not been scanned, so nothing is known of its files.",
                advice: "Scan it with `piton context scan`, then repeat the call.",
                retry: Retry::NotRetryable,
            },
            Self::ContextUnreadable => Facts {
                domain: Domain::Context,
                meaning: "The project directory itself cannot be read; nothing was recorded.",
                advice: "Check that the directory exists and that you may read it, then repeat the call.",
                retry: Retry::NotRetryable,
            },
            Self::ContextNodeNotFound => Facts {
                domain: Domain::Context,
                meaning: "The tree has no file or directory with this path or id.",
                advice: "Check the path; if the file is new, scan with `piton context scan` first.",
                retry: Retry::NotRetryable,
            },
            Self::ContextRootNotFound => Facts {
                domain: Domain::Context,
                meaning: "No recorded tree has this digest, number or label.",
                advice: "List the recorded trees with `piton context history`, and name one of them.",
                retry: Retry::NotRetryable,
            },
            Self::ContextFrameNotFound => Facts {
                domain: Domain::Context,
                meaning: "There is no frame with this id, or none of this type at this path.",
                advice: "List the frames that are there with `piton context list-frames`.",
                retry: Retry::NotRetryable,
            },
            Self::ContextAmbiguous => Facts {
                domain: Domain::Context,
                meaning: "The beginning of an id fits more than one.",
                advice: "Give more digits of the id, or name the file or directory by its path.",
                retry: Retry::NotRetryable,
            },
            Self::ContextNodeStale => Facts {
                domain: Domain::Context,
                meaning: "The file or directory has changed since the id was read; nothing was written.",
                advice: "Read the node again and write for its current id, or allow stale ids.",
                retry: Retry::NotRetryable,
            },
            Self::ContextUnknownAgent => Facts {
                domain: Domain::Context,
                meaning: "No agent of this name is configured.",
                advice: "Add the agent to `piton.toml`, or use the name of a configured one.",
                retry: Retry::NotRetryable,
            },
            Self::ContextForbidden => Facts {
                domain: Domain::Context,
                meaning: "The role of the agent does not allow the call; nothing was written.",
                advice: "Use an agent whose role allows it, or give this one another role in `piton.toml`.",
                retry: Retry::NotRetryable,
            },
            Self::ContextIncomplete => Facts {
                domain: Domain::Context,
                meaning: "Directories below lack the frame that the synthesis is made from; nothing was written.",
                advice: "Synthesise those directories first, or ask for a recursive synthesis.",
                retry: Retry::NotRetryable,
            },
            Self::ContextIntegrity => Facts {
                domain: Domain::Context,
                meaning: "Stored context was changed after it was written; it was not used.",
                advice: "Run `piton context validate` to see the damage, and restore the data directory from a backup.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceBadPath => Facts {
                domain: Domain::Workspace,
                meaning: "The path is written in a way that is refused before anything is looked at.",
                advice: "Write the path as `/name/name`, with the names as the map of Workspaces and `ls` give them.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceUnmapped => Facts {
                domain: Domain::Workspace,
                meaning: "No Workspace covers the path, so nothing there can be touched.",
                advice: "Use a path below one of the Workspaces that the message lists.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceScope => Facts {
                domain: Domain::Workspace,
                meaning: "The Access Scope of the Workspace does not permit this operation; its Store was not asked.",
                advice: "Use one of the Workspaces that the message lists, or do without the operation.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceHidden => Facts {
                domain: Domain::Workspace,
                meaning: "The configuration of the Workspace hides this name from every operation.",
                advice: "Go on without this file; only the person who configures the Workspace can show it.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNotFound => Facts {
                domain: Domain::Workspace,
                meaning: "There is no file or directory with this path.",
                advice: "List the directory with `ls`, or find the file with `glob`.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceLink => Facts {
                domain: Domain::Workspace,
                meaning: "A part of the path is a link, and links are not followed here.",
                advice: "Use the path of the file itself; `ls` marks links.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNotRegular => Facts {
                domain: Domain::Workspace,
                meaning: "The path names a pipe, a socket or a device, which is never opened.",
                advice: "Use a regular file; `ls` marks what is none.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceIsDirectory => Facts {
                domain: Domain::Workspace,
                meaning: "The path names a directory, and the operation needs a file.",
                advice: "List it with `ls` and name a file in it.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNotDirectory => Facts {
                domain: Domain::Workspace,
                meaning: "A part of the path names a file where a directory is needed.",
                advice: "List the directories above it with `ls`, one by one, to find the name that is a file.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceExists => Facts {
                domain: Domain::Workspace,
                meaning: "There is something at the target already, and it is not overwritten.",
                advice: "Choose another path, or delete what is there first.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNotEmpty => Facts {
                domain: Domain::Workspace,
                meaning: "The directory holds something, and the call does not say to delete that too.",
                advice: "Repeat the call with `recursive` set to true if everything in it shall go.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNotText => Facts {
                domain: Domain::Workspace,
                meaning: "The file is not UTF-8 text, so it is neither shown nor edited; its bytes are untouched.",
                advice: "Use `stat` for its size, or `copy` and `move`, which keep its bytes.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceTooLarge => Facts {
                domain: Domain::Workspace,
                meaning: "The file or the content is larger than this operation takes; nothing was changed.",
                advice: "Work on a part: `read` with `offset` and `limit`, `grep`, or several smaller files.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceLimit => Facts {
                domain: Domain::Workspace,
                meaning: "The request is larger or more complex than this operation takes; nothing was changed.",
                advice: "Make the request smaller or simpler, as the message says.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceNoMatch => Facts {
                domain: Domain::Workspace,
                meaning: "The text to replace does not occur in the file, so nothing was changed.",
                advice: "Read the file again and copy the text exactly, with its blanks and line ends.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceAmbiguous => Facts {
                domain: Domain::Workspace,
                meaning: "The text to replace occurs more than once, so nothing was changed.",
                advice: "Take in more lines around the place so that the text occurs once, or set `replace_all`.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceConflict => Facts {
                domain: Domain::Workspace,
                meaning: "The file is not the version that the call names, so nothing was overwritten.",
                advice: "Read the file again and repeat the change on what it holds now.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspacePermission => Facts {
                domain: Domain::Workspace,
                meaning: "The operating system does not let this process do that.",
                advice: "Go on without it, or ask the person who runs Piton to change the permissions.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceQuota => Facts {
                domain: Domain::Workspace,
                meaning: "The change would take the Workspace over its quota; nothing was written.",
                advice: "Delete what is no longer needed in this Workspace, or write less.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceInner => Facts {
                domain: Domain::Workspace,
                meaning: "The directory holds another Workspace, so it is not deleted, moved or copied as a whole.",
                advice: "Work on the entries beside the inner Workspace one by one.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceBusy => Facts {
                domain: Domain::Workspace,
                meaning: "Another process was changing the same place for longer than this call waits.",
                advice: "Repeat the call; if this persists, make sure that no other process hangs.",
                retry: LOCK_RETRY,
            },
            Self::WorkspaceIo => Facts {
                domain: Domain::Workspace,
                meaning: "The operating system reported an error while the file was read or written; the old content is still there.",
                advice: "Repeat the call; if it fails again, tell the person who runs Piton.",
                retry: Retry::RetryableImmediate,
            },
            Self::WorkspaceBadArgument => Facts {
                domain: Domain::Workspace,
                meaning: "An argument of the call is missing, unknown or not allowed.",
                advice: "Correct the argument that the message names and call again.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceWriteFailed => Facts {
                domain: Domain::Workspace,
                meaning: "The write did not succeed; a write-only Workspace says no more than that.",
                advice: "Write under another name, or ask the person who runs Piton.",
                retry: Retry::NotRetryable,
            },
            Self::WorkspaceConfig => Facts {
                domain: Domain::Workspace,
                meaning: "The configuration of the Workspaces was refused, so there is no file access.",
                advice: "Correct every problem that the message names, then start again.",
                retry: Retry::NotRetryable,
            },
            Self::ValidationError => Facts {
                domain: Domain::Validation,
                meaning: "The call carries something that is missing, malformed or not allowed.",
                advice: "Correct the input that the message names and call again.",
                retry: Retry::NotRetryable,
            },
            Self::InternalError => Facts {
                domain: Domain::Internal,
                meaning: "The call met a fault in Piton itself; what was recorded before it stays recorded.",
                advice: "Ask where the run stands with continue_workflow and its stateToken, go on from there, and report the fault.",
                retry: Retry::NotRetryable,
            },
        }
    }
}
