//! Facts about errors of the files of Workspaces.

use super::{CodeFacts, LOCK_RETRY};
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const BAD_PATH: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The path is written in a way that is refused before anything is looked at.",
    advice: "Write the path as `/name/name`, with the names as the map of Workspaces and `ls` give them.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNMAPPED: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "No Workspace covers the path, so nothing there can be touched.",
    advice: "Use a path below one of the Workspaces that the message lists.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const SCOPE: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The Access Scope of the Workspace does not permit this operation; its Store was not asked.",
    advice: "Use one of the Workspaces that the message lists, or do without the operation.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const HIDDEN: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The configuration of the Workspace hides this name from every operation.",
    advice: "Go on without this file; only the person who configures the Workspace can show it.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const PROTECTED: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "Agents only read this name in every Workspace, because it decides what agents may do or makes a program run something by itself; nothing was changed.",
    advice: "Leave it as it is, and tell the person what you would change there.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_FOUND: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "There is no file or directory with this path.",
    advice: "List the directory with `ls`, or find the file with `glob`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LINK: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "A part of the path is a link, and links are not followed here.",
    advice: "Use the path of the file itself; `ls` marks links.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const MOUNT: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "A part of the path is the place where another file system, or a directory from elsewhere, is mounted inside the Workspace.",
    advice: "Do without it; only the person can open it, with `mounts = true` in the configuration of the Workspace.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_REGULAR: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The path names a pipe, a socket or a device, which is never opened.",
    advice: "Use a regular file; `ls` marks what is none.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const IS_DIRECTORY: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The path names a directory, and the operation needs a file.",
    advice: "List it with `ls` and name a file in it.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_DIRECTORY: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "A part of the path names a file where a directory is needed.",
    advice: "List the directories above it with `ls`, one by one, to find the name that is a file.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const EXISTS: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "There is something at the target already, and it is not overwritten.",
    advice: "Choose another path, or delete what is there first.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_EMPTY: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The directory holds something, and the call does not say to delete that too.",
    advice: "Repeat the call with `recursive` set to true if everything in it shall go.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NOT_TEXT: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The file is not UTF-8 text, so it is neither shown nor edited; its bytes are untouched.",
    advice: "Use `stat` for its size, or `copy` and `move`, which keep its bytes.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const TOO_LARGE: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The file or the content is larger than this operation takes; nothing was changed.",
    advice: "Work on a part: `read` with `offset` and `limit`, `grep`, or several smaller files.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LIMIT: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The request is larger or more complex than this operation takes; nothing was changed.",
    advice: "Make the request smaller or simpler, as the message says.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const NO_MATCH: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The text to replace does not occur in the file, so nothing was changed.",
    advice: "Read the file again and copy the text exactly, with its blanks and line ends.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const AMBIGUOUS: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The text to replace occurs more than once, so nothing was changed.",
    advice: "Take in more lines around the place so that the text occurs once, or set `replace_all`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CONFLICT: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The file is not the version that the call names, so nothing was overwritten.",
    advice: "Read the file again and repeat the change on what it holds now.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const PERMISSION: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The operating system does not let this process do that.",
    advice: "Go on without it, or ask the person who runs Piton to change the permissions.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const QUOTA: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The change would take the Workspace over its quota; nothing was written.",
    advice: "Delete what is no longer needed in this Workspace, or write less.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const INNER: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The directory holds another Workspace, so it is not deleted, moved or copied as a whole.",
    advice: "Work on the entries beside the inner Workspace one by one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const BUSY: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "Another process was changing the same place for longer than this call waits.",
    advice: "Repeat the call; if this persists, make sure that no other process hangs.",
    retry: LOCK_RETRY,
};

pub(in crate::error) const IO: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The operating system reported an error while the file was read or written; the old content is still there.",
    advice: "Repeat the call; if it fails again, tell the person who runs Piton.",
    retry: Retry::RetryableImmediate,
};

pub(in crate::error) const BAD_ARGUMENT: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "An argument of the call is missing, unknown or not allowed.",
    advice: "Correct the argument that the message names and call again.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const WRITE_FAILED: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The write did not succeed; a write-only Workspace says no more than that.",
    advice: "Write under another name, or ask the person who runs Piton.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const CONFIG: CodeFacts = CodeFacts {
    domain: Domain::Workspace,
    meaning: "The configuration of the Workspaces was refused, so there is no file access.",
    advice: "Correct every problem that the message names, then start again.",
    retry: Retry::NotRetryable,
};
