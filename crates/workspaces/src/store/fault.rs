//! Faults of Stores.
//!
//! *Invariants*: a fault carries no path of the machine and no text of the operating system, so none can reach an
//! agent. The caller knows the path.

use std::fmt;

use piton_core::Code;

use crate::protection::Protected;

/// Reason that a Store refuses or fails an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFault {
    NotFound,
    /// A part of the path is a link, and links are not followed.
    Link,
    /// A link leads nowhere inside the Mount.
    LinkLeadsOut,
    /// The path is on a file system mounted inside the Mount, and those are not followed.
    OtherMount,
    /// Links form a cycle.
    LinkLoop,
    /// A pipe, a socket or a device.
    NotRegular,
    IsDirectory,
    /// A part of the path is not a directory.
    NotDirectory,
    Exists,
    NotEmpty,
    /// The file is not UTF-8 text.
    NotText {
        /// Size of the file.
        bytes: u64,
        kind: NotTextKind,
    },
    /// The file is too large for the operation.
    TooLarge {
        /// Size of the file.
        bytes: u64,
        max: u64,
    },
    /// A bound is exceeded.
    Limit {
        /// Bounded quantity, as words that follow "more than" and the number.
        what: &'static str,
        max: u64,
    },
    /// The window starts after the last line.
    PastEnd {
        /// Number of lines of the file.
        lines: u64,
    },
    /// The file does not meet the precondition.
    Conflict {
        /// Set when there is a file.
        exists: bool,
    },
    /// The directory holds something hidden by configuration.
    HoldsHidden,
    /// The directory holds a name that is unusable here.
    HoldsUnusable,
    /// The directory holds something protected.
    HoldsProtected(Protected),
    /// The operating system refused access.
    Permission,
    /// The quota of the Workspace is exceeded.
    Quota {
        kind: QuotaKind,
        max: u64,
    },
    /// The disk is full.
    Full,
    /// Another process is changing the same directory, or too many files are open.
    Busy,
    /// The path changed between preparing and committing a change; the change can be prepared again.
    Raced,
    /// The directory changed while it was deleted, and something else has its name now.
    MovedAside {
        /// Name of the directory now, beside its former one.
        name: String,
    },
    Cancelled,
    /// The file system can neither rename without replacing nor link.
    NoRename,
    /// Any other error of the operating system.
    Io,
    /// Piton's own data failed.
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

/// Quantity that a quota limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaKind {
    /// Total size of all files.
    Bytes,
    /// Number of files.
    Files,
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

/// Writes words that follow a path.
impl fmt::Display for StoreFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::NotFound => "does not exist",
            Self::Link => "is or leads through a link, and links are not followed",
            Self::LinkLeadsOut => "leads through a link to nowhere in this Workspace",
            Self::LinkLoop => "leads through links that go in a circle",
            Self::OtherMount => {
                "is or leads through something that is mounted there, which is not followed"
            }
            Self::NotRegular => "is a pipe, a socket or a device, which is never opened",
            Self::IsDirectory => "is a directory",
            Self::NotDirectory => "leads through a file where a directory is needed",
            Self::Exists => "exists already and is not overwritten",
            Self::NotEmpty => "is a directory that is not empty",
            Self::HoldsHidden => "holds something that the configuration hides",
            Self::HoldsUnusable => "holds something whose name cannot be used here",
            Self::Permission => "is not accessible to this process",
            Self::Conflict { exists: true } => "was changed since the version that the call names",
            Self::Conflict { exists: false } => "is gone, and the call names a version of it",
            Self::Full => "could not be written: the disk is full",
            Self::Busy => "is busy: somebody else is changing it, or too many files are open",
            Self::Raced => "is being changed by somebody else",
            Self::Cancelled => "was given up because the call was cancelled",
            Self::NoRename => {
                "is on a file system that gives no new name without replacing what has it"
            }
            Self::Io => "could not be read or written",
            Self::Data(_) => "could not be read or written: Piton's own data failed",
            Self::HoldsProtected(why) => {
                return write!(formatter, "holds something that is protected{why}");
            }
            Self::NotText { bytes, kind } => {
                let kind = match kind {
                    NotTextKind::Binary => "binary data",
                    NotTextKind::OtherEncoding => "text in another encoding than UTF-8",
                };
                return write!(formatter, "is {kind} of {bytes} bytes");
            }
            Self::TooLarge { bytes, max } => {
                return write!(formatter, "has {bytes} bytes; this takes at most {max}");
            }
            Self::MovedAside { name } => {
                return write!(
                    formatter,
                    "was changed while it was deleted, and something else has its name now. Nothing is lost: it is `{name}` in the same directory"
                );
            }
            Self::Limit { what, max } => return write!(formatter, "takes more than {max} {what}"),
            Self::PastEnd { lines } => {
                return write!(formatter, "has {lines} lines, and the offset is beyond them");
            }
            Self::Quota { kind: QuotaKind::Bytes, max } => {
                return write!(formatter, "would take its Workspace over its quota of {max} bytes");
            }
            Self::Quota { kind: QuotaKind::Files, max } => {
                return write!(formatter, "would take its Workspace over its quota of {max} files");
            }
        };
        formatter.write_str(words)
    }
}

impl std::error::Error for StoreFault {}

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
