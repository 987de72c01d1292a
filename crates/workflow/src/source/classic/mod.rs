//! The classic dialect: the content of a file after reading.
//!
//! *Invariants*: as for the strict dialect. Every value is well-formed by itself, and the compiler has to
//! find out whether names point at something.

mod assessment;
mod binding;
mod loops;
mod parallel;
mod predicate;
pub(super) mod step;
mod workflow;

use piton_core::BoundedText;

use crate::bounds::{BLOCK_BYTES_MAX, DESCRIPTION_BYTES_MAX, NAME_BYTES_MAX, TITLE_BYTES_MAX};

pub(crate) use binding::bind;
pub(crate) use loops::{Drive, Loop, LoopBody};
pub(crate) use parallel::{Delegation, Parallel, Synthesis};
pub(crate) use step::ClassicStep;
pub(crate) use workflow::{ClassicWorkflow, FileReference};

/// A name that is no id: a variable, a tool.
type Name = BoundedText<NAME_BYTES_MAX>;

/// A title, or another line.
type Line = BoundedText<TITLE_BYTES_MAX>;

/// A few sentences.
type Paragraph = BoundedText<DESCRIPTION_BYTES_MAX>;

/// A few paragraphs.
type Passage = BoundedText<BLOCK_BYTES_MAX>;

/// Converts a list of bounded texts to strings.
fn strings<const MAX: usize>(texts: Vec<BoundedText<MAX>>) -> Vec<String> {
    texts.into_iter().map(BoundedText::into_string).collect()
}
