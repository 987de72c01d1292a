//! Comparison of two things of one kind: their common ancestor, and the work of each side since.
//!
//! | file | contents |
//! |---|---|
//! | `pair` | the meaning of two names, and whether they can be compared |
//! | `runs`, `written` | two nodes of runs, and the keys, files and frames that their steps wrote |
//! | `backpacks` | two backpacks, each at a commit |
//! | `overlays` | two overlays |
//! | `trees` | two recorded trees |
//!
//! *Invariants*: protected values are never shown. Every list is bounded, and what is left out is counted.
//!
//! *Limitations*: Piton keeps digests of the files that a run wrote. It shows text only where it still holds both
//! contents: the current file, and the one below an overlay. For trees, it keeps no contents. A frame identical to an
//! earlier one of the same agent on the same node is that earlier frame, and stays with the step that made it. Frames
//! are those of the current project.

mod backpacks;
mod overlays;
mod pair;
mod runs;
mod trees;

pub use pair::Worlds;
pub(super) use pair::no_workspace;
