//! The texts that agents read about the tools of the set.
//!
//! Remarks about a single field are at that field, in the types of the requests.

/// Instructions that an agent reads when it connects.
pub(super) const INSTRUCTIONS: &str = "\
Context: what agents wrote about the files and directories of this project, each piece a frame with its type, its \
agent, and whether it is fresh. Before you read many files, ask compose_context about the one that you work on.";

/// Additional instructions for an agent that may write.
pub(super) const WRITING: &str = "\
When you have understood a file or directory, keep it with put_frame, for whoever comes next.";

pub(super) const GET_CONTEXT: &str = "\
Shows a file or directory and the frames on it. A stale frame says why: read the file before you rely on it.";

pub(super) const COMPOSE_CONTEXT: &str = "\
Puts together what is written about a file or directory, the directory that it is in, and what lies beside it: the \
most relevant first, within a budget of tokens.";

pub(super) const PUT_FRAME: &str = "\
Puts a frame on a file or directory as it is now. Frames are never overwritten: a new one of the same type takes the \
place of the old one, which stays in the history. To repeat a call is harmless.";

pub(super) const SYNTHESIZE: &str = "\
Makes the frame of a directory from the frames of its entries, by a fixed rule and without a model.";

pub(super) const REGENERATE: &str = "\
Regenerates synthesised frames whose entries have changed since. What was written by hand is listed as stale and \
stays as it is.";
