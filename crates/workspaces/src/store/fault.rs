//! Faults of Stores.
//!
//! *Invariants*: a fault carries no path of the machine and no text of the operating system, so none can reach an
//! agent. The caller knows the path.

use piton_core::Code;

use crate::protection::Protected;

/// Reason that a Store refuses or fails an operation. Its text follows a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    #[error("does not exist")]
    NotFound,
    /// A part of the path is a link, and links are not followed.
    #[error("is or leads through a link, and links are not followed")]
    Link,
    /// A link leads nowhere inside the Mount.
    #[error("leads through a link to nowhere in this Workspace")]
    LinkLeadsOut,
    /// The path is on a file system mounted inside the Mount, and those are not followed.
    #[error("is or leads through something that is mounted there, which is not followed")]
    OtherMount,
    /// Links form a cycle.
    #[error("leads through links that go in a circle")]
    LinkLoop,
    /// A pipe, a socket or a device.
    #[error("is a pipe, a socket or a device, which is never opened")]
    NotRegular,
    #[error("is a directory")]
    IsDirectory,
    /// A part of the path is not a directory.
    #[error("leads through a file where a directory is needed")]
    NotDirectory,
    #[error("exists already and is not overwritten")]
    Exists,
    #[error("is a directory that is not empty")]
    NotEmpty,
    /// The file is not UTF-8 text.
    #[error("is {} of {bytes} bytes", kind.words())]
    NotText {
        /// Size of the file.
        bytes: u64,
        kind: NotTextKind,
    },
    /// The file is too large for the operation.
    #[error("has {bytes} bytes; this takes at most {max}")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
        max: u64,
    },
    /// A bound is exceeded.
    #[error("takes more than {max} {what}")]
    Limit {
        /// Bounded quantity, as words that follow "more than" and the number.
        what: &'static str,
        max: u64,
    },
    /// The window starts after the last line.
    #[error("has {lines} lines, and the offset is beyond them")]
    PastEnd {
        /// Number of lines of the file.
        lines: u64,
    },
    /// The file does not meet the precondition.
    #[error("{}", if *exists { "was changed since the version that the call names" } else { "is gone, and the call names a version of it" })]
    Conflict {
        /// Set when there is a file.
        exists: bool,
    },
    /// The directory holds something hidden by configuration.
    #[error("holds something that the configuration hides")]
    HoldsHidden,
    /// The directory holds a name that is unusable here.
    #[error("holds something whose name cannot be used here")]
    HoldsUnusable,
    /// The directory holds something protected.
    #[error("holds something that is protected{0}")]
    HoldsProtected(Protected),
    /// The operating system refused access.
    #[error("is not accessible to this process")]
    Permission,
    /// The quota of the Workspace is exceeded.
    #[error("would take its Workspace over its quota of {max} {}", kind.words())]
    Quota { kind: QuotaKind, max: u64 },
    /// The disk is full.
    #[error("could not be written: the disk is full")]
    Full,
    /// Another process is changing the same directory, or too many files are open.
    #[error("is busy: somebody else is changing it, or too many files are open")]
    Busy,
    /// The path changed between preparing and committing a change; the change can be prepared again.
    #[error("is being changed by somebody else")]
    Raced,
    /// The directory changed while it was deleted, and could not get its name back.
    #[error(
        "was changed while it was deleted, and could not get its name back. Nothing is lost: it is `{name}` in the same directory"
    )]
    MovedAside {
        /// Name of the directory now, beside its former one.
        name: String,
    },
    #[error("was given up because the call was cancelled")]
    Cancelled,
    /// The file system can neither rename without replacing nor link.
    #[error("is on a file system that gives no new name without replacing what has it")]
    NoRename,
    /// Any other error of the operating system.
    #[error("could not be read or written")]
    Io,
    /// Piton's own data failed.
    #[error("could not be read or written: Piton's own data failed")]
    Data(Code),
}

/// Apparent content of a file that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTextKind {
    /// The file has zero bytes.
    Binary,
    /// The file has bytes that are not UTF-8.
    OtherEncoding,
}

impl NotTextKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Binary => "binary data",
            Self::OtherEncoding => "text in another encoding than UTF-8",
        }
    }
}

/// Quantity that a quota limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaKind {
    /// Total size of all files.
    Bytes,
    /// Number of files.
    Files,
}

impl QuotaKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Files => "files",
        }
    }
}

impl StoreFault {
    /// Returns the refusal of more than `max` of something.
    pub(crate) const fn limit(what: &'static str, max: usize) -> Self {
        Self::Limit { what, max: max as u64 }
    }

    /// Returns the stable error code.
    pub fn code(&self) -> Code {
        match self {
            Self::NotFound => Code::WorkspaceNotFound,
            Self::Link | Self::LinkLeadsOut | Self::LinkLoop => Code::WorkspaceLink,
            Self::OtherMount => Code::WorkspaceMount,
            Self::NotRegular => Code::WorkspaceNotRegular,
            Self::IsDirectory => Code::WorkspaceIsDirectory,
            Self::NotDirectory => Code::WorkspaceNotDirectory,
            Self::Exists => Code::WorkspaceExists,
            Self::NotEmpty => Code::WorkspaceNotEmpty,
            Self::NotText { .. } => Code::WorkspaceNotText,
            Self::TooLarge { .. } => Code::WorkspaceTooLarge,
            Self::Limit { .. } => Code::WorkspaceLimit,
            Self::PastEnd { .. } => Code::WorkspaceBadArgument,
            Self::Conflict { .. } | Self::MovedAside { .. } => Code::WorkspaceConflict,
            Self::HoldsHidden | Self::HoldsUnusable => Code::WorkspaceHidden,
            Self::HoldsProtected(_) => Code::WorkspaceProtected,
            Self::Permission => Code::WorkspacePermission,
            Self::Quota { .. } => Code::WorkspaceQuota,
            Self::Full => Code::StoreFull,
            Self::Busy | Self::Raced | Self::Cancelled => Code::WorkspaceBusy,
            Self::NoRename | Self::Io => Code::WorkspaceIo,
            Self::Data(code) => *code,
        }
    }
}

impl From<piton_store::Error> for StoreFault {
    fn from(error: piton_store::Error) -> Self {
        Self::Data(error.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_pass_by_itself_is_told_apart_from_what_the_machine_refuses() {
        for fault in [StoreFault::Busy, StoreFault::Raced, StoreFault::Cancelled] {
            assert_eq!(fault.code(), Code::WorkspaceBusy, "{fault:?}");
        }
        assert_eq!(StoreFault::Io.code(), Code::WorkspaceIo);
    }
}
