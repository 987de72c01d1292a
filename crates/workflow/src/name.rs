//! The ids that an author writes in a workflow.
//!
//! *Invariants*: 1 to 128 characters out of `a-z`, `0-9`, `_` and `-`. The characters that join ids to longer
//! texts (`@`, `/`, `:`) are not among them, so joined texts need no escaping and can be split in one way
//! only.
//!
//! Each kind is a type of its own:
//!
//! ```
//! use piton_workflow::StepId;
//! fn open(_: StepId) {}
//! open("triage".parse()?);
//! # Ok::<(), piton_core::IdError>(())
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{LoopId, StepId};
//! fn swapped(id: LoopId) -> StepId { id }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{LoopId, StepId};
//! fn swapped(id: StepId) -> LoopId { id }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{ConditionId, StepId};
//! fn swapped(id: ConditionId) -> StepId { id }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{ConditionId, LoopId};
//! fn swapped(id: LoopId) -> ConditionId { id }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{ConditionId, ContextKey};
//! fn swapped(key: ContextKey) -> ConditionId { key }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::{ContextKey, StepId};
//! fn swapped(id: StepId) -> ContextKey { id }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_workflow::StepId;
//! let _: StepId = "triage";
//! ```

use piton_core::{IdError, IdProblem};

use crate::bounds::NAME_BYTES_MAX;

fn check(text: &str) -> Result<(), IdProblem> {
    if text.is_empty() {
        return Err(IdProblem::Empty);
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(IdProblem::TooLong { max_bytes: NAME_BYTES_MAX });
    }
    let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    if text.bytes().all(allowed) {
        Ok(())
    } else {
        Err(IdProblem::Character { allowed: "a-z, 0-9, `_` and `-`" })
    }
}

/// Declares ids that differ in name only.
macro_rules! names {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        piton_core::checked_text! {
            $(#[$meta])*
            ///
            /// 1 to 128 characters out of `a-z`, `0-9`, `_` and `-`.
            pub struct $name: IdError, "a name of a-z, 0-9, `_` and `-`", "^[a-z0-9_-]+$", NAME_BYTES_MAX,
            |text| check(text).map_err(|problem| IdError { kind: stringify!($name), problem })
        }
    )+};
}

names! {
    /// Names a step of a workflow.
    StepId,
    /// Names a loop of a workflow.
    LoopId,
    /// Names a condition of a workflow.
    ConditionId,
    /// Names an input of a workflow that a blocker may point at.
    ContextKey,
    /// Names an assessment of a workflow.
    AssessmentId,
    /// Names a dimension of an assessment.
    DimensionId,
    /// Says what kind of work a workflow is for, such as `review`. Agents list workflows by tags.
    Tag,
}
