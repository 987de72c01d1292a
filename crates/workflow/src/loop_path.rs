//! The position of a step within its loops.
//!
//! *Invariants*: a path is at most [`LOOP_DEPTH_MAX`] deep, and a loop is on it at most once, because no loop
//! is inside itself.

use std::fmt;

use piton_core::{IdError, IdProblem};
use serde::{Deserialize, Serialize};

use crate::bounds::{ITERATION_MAX, LOOP_DEPTH_MAX};
use crate::name::LoopId;

/// An iteration of a loop, counted from zero; at most [`ITERATION_MAX`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u32")]
pub struct Iteration(u32);

impl Iteration {
    /// The first iteration.
    pub const ZERO: Self = Self(0);

    /// Creates an iteration, unless `value` is larger than [`ITERATION_MAX`].
    pub const fn new(value: u32) -> Result<Self, IdError> {
        if value > ITERATION_MAX {
            let problem = IdProblem::TooLarge { max: ITERATION_MAX as u64 };
            return Err(IdError { kind: "Iteration", problem });
        }
        Ok(Self(value))
    }

    /// Returns the iteration as a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Iteration {
    type Error = IdError;

    fn try_from(value: u32) -> Result<Self, IdError> {
        Self::new(value)
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// A loop and its current iteration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopPosition {
    pub loop_id: LoopId,
    pub iteration: Iteration,
}

/// The loops around a step, outermost first. Empty for a step outside of any loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopPath(Vec<LoopPosition>);

/// Reason that positions are not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopPathError {
    #[error("{depth} loops lie inside each other, {LOOP_DEPTH_MAX} are allowed")]
    TooDeep { depth: usize },
    #[error("the loop `{loop_id}` cannot lie inside itself")]
    Repeated { loop_id: LoopId },
}

impl LoopPath {
    /// Creates the path through `positions`, outermost first.
    pub fn new(positions: Vec<LoopPosition>) -> Result<Self, LoopPathError> {
        if positions.len() > LOOP_DEPTH_MAX {
            return Err(LoopPathError::TooDeep { depth: positions.len() });
        }
        // A path has few positions, so comparing each with those before it is cheap.
        for (depth, position) in positions.iter().enumerate() {
            if positions[..depth].iter().any(|outer| outer.loop_id == position.loop_id) {
                return Err(LoopPathError::Repeated { loop_id: position.loop_id.clone() });
            }
        }
        Ok(Self(positions))
    }

    /// Returns the positions, outermost first.
    pub fn positions(&self) -> &[LoopPosition] {
        &self.0
    }
}
