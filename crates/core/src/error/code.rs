//! All error codes, and the domains they come from. Their meanings, advice and retry rules are in `facts`.
//!
//! *Invariants*: a code never changes its meaning and is never reused; a code that is no longer produced stays.

use super::envelope::Retry;

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
        /// The file of the tables is damaged.
        StoreTableDamaged => "STORE_TABLE_DAMAGED",
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
        /// A call must say which of several open runs it means.
        TokenLabelRequired => "TOKEN_LABEL_REQUIRED",
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
        /// The model's answer was cut off.
        ModelAnswerTruncated => "MODEL_ANSWER_TRUNCATED",
        /// The model declined to answer.
        ModelDeclined => "MODEL_DECLINED",
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
        /// A backpack, or a value in it, is damaged.
        BackpackDamaged => "BACKPACK_DAMAGED",
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
        /// Agents only read this name.
        WorkspaceProtected => "WORKSPACE_PROTECTED",
        /// There is no such file or directory.
        WorkspaceNotFound => "WORKSPACE_NOT_FOUND",
        /// A link stands in the way.
        WorkspaceLink => "WORKSPACE_LINK",
        /// Something is mounted inside a Workspace.
        WorkspaceMount => "WORKSPACE_MOUNT",
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
            Self::Validation => "what the caller sent",
            Self::Internal => "Piton itself",
        }
    }
}
