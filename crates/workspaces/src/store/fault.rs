//! Why a Store fails.
//!
//! *Invariants*: a fault carries no path and no text of the operating system, so that none can reach
//! an agent. Who asked knows the path.

use std::fmt;

use piton_core::Code;

use crate::protection::Protected;

/// Why a Store fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreFault {
    /// There is nothing.
    NotFound,
    /// A part of the path is a link, and links are not followed.
    Link,
    /// A link leads nowhere inside the Mount.
    LinkLeadsOut,
    /// It lies on something that is mounted inside the Mount, and that is not followed.
    OtherMount,
    /// Links lead in a circle.
    LinkLoop,
    /// It is a pipe, a socket or a device.
    NotRegular,
    /// It is a directory.
    IsDirectory,
    /// A part of the path is not a directory.
    NotDirectory,
    /// There is something already.
    Exists,
    /// The directory holds something.
    NotEmpty,
    /// It is not UTF-8 text.
    NotText {
        /// Its size.
        bytes: u64,
        /// What it looks like.
        kind: NotTextKind,
    },
    /// It is too large for the operation.
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest size.
        max: u64,
    },
    /// There is too much of something.
    Limit {
        /// Of what, as words that follow "more than" and the number.
        what: &'static str,
        /// The most that is taken.
        max: u64,
    },
    /// The window starts after the last line.
    PastEnd {
        /// The number of lines.
        lines: u64,
    },
    /// The file is not as expected.
    Conflict {
        /// Whether there is a file.
        exists: bool,
    },
    /// Something in the directory is hidden by configuration.
    HoldsHidden,
    /// Something in the directory has a name that cannot be used here.
    HoldsUnusable,
    /// Something in the directory is protected.
    HoldsProtected(Protected),
    /// The operating system refused access.
    Permission,
    /// The quota of the Workspace is used up.
    Quota {
        /// Of what.
        kind: QuotaKind,
        /// The quota.
        max: u64,
    },
    /// There is no room on the disk.
    Full,
    /// Another process is changing the same place, or too much is open.
    Busy,
    /// Somebody else changed it between preparing and making a change; it can be prepared again.
    Raced,
    /// The call was cancelled.
    Cancelled,
    /// The file system can neither rename without replacing nor link.
    NoRename,
    /// The operating system reported another error.
    Io,
    /// Piton's own data failed.
    Data(Code),
}

/// What the bytes of a file look like that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTextKind {
    /// It has zero bytes.
    Binary,
    /// It has bytes that are not UTF-8.
    OtherEncoding,
}

/// What a quota counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaKind {
    /// Bytes of files.
    Bytes,
    /// Files.
    Files,
}

impl StoreFault {
    /// The closed code that stands for it.
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
            Self::Conflict { .. } => Code::WorkspaceConflict,
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

/// Words that follow a path.
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
