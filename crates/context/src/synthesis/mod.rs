//! Frames of directories: synthesised from the frames of their entries, and regenerated when those change.
//!
//! *Invariants*: nothing is synthesised unless it is requested. Only the direct entries of a directory are read. The
//! same frames give the same text.

mod invalidate;
mod policy;
mod regenerate;
mod summary;
mod synthesize;

pub(crate) use invalidate::{damaged_mark, is_mark};
pub use policy::{
    CustomOrder, CustomPolicy, Inputs, PolicyInput, PolicyName, PolicySpec, Registry,
};
pub(crate) use regenerate::NOTHING_DESCRIBED;
pub use regenerate::{
    RegenerateFrames, RegenerateScope, Regenerated, RegeneratedFrame, SkippedFrame,
};
pub use summary::first_sentence;
pub use synthesize::{Missing, SynthesizeFrames, SynthesizeRequest, Synthesized, SynthesizedFrame};
