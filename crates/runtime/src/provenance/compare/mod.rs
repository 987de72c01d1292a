//! Two things of one kind: what they have in common, and what each side did since.
//!
//! | file | does |
//! |---|---|
//! | `pair` | what two names mean, and that they fit together |
//! | `runs`, `written` | two nodes of runs, and the keys, files and frames that their steps wrote |
//! | `backpacks` | two backpacks, each at a commit |
//! | `overlays` | two overlays |
//! | `trees` | two recorded trees |
//!
//! *Invariants*: protected values are never shown. Every list is bounded, and what is left out is counted.
//!
//! *Limitations*: of a file that a run wrote Piton keeps digests, and a text only where it still holds both contents:
//! what is there now, and below an overlay. Of trees it keeps no contents. A frame that says what an earlier one of its
//! agent says there is that earlier one, and stays with the step that made it. Frames are those of the project that is
//! at hand.

mod backpacks;
mod overlays;
mod pair;
mod runs;
mod trees;
mod written;

pub use pair::Worlds;
pub(super) use pair::no_workspace;
