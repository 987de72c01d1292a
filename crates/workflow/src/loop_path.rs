//! Where in its loops a step stands.
//!
//! *Invariants*: a path is at most [`LOOP_DEPTH_MAX`] deep, and no loop is on it twice, because no loop
//! lies inside itself.

use std::fmt;

use piton_core::{IdError, IdProblem};

use crate::bounds::{ITERATION_MAX, LOOP_DEPTH_MAX};
use crate::name::LoopId;

/// Which turn of a loop, counted from zero; at most [`ITERATION_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iteration(u32);

impl Iteration {
    /// The first turn.
    pub const ZERO: Self = Self(0);

    /// `value`, unless it is larger than [`ITERATION_MAX`].
    pub const fn new(value: u32) -> Result<Self, IdError> {
        if value > ITERATION_MAX {
            let problem = IdProblem::TooLarge { max: ITERATION_MAX as u64 };
            return Err(IdError { kind: "Iteration", problem });
        }
        Ok(Self(value))
    }

    /// The turn as a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// One loop and the turn it is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopPosition {
    /// The loop.
    pub loop_id: LoopId,
    /// The turn.
    pub iteration: Iteration,
}

/// The loops around a step, outermost first. Empty for a step outside of any loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopPath(Vec<LoopPosition>);

/// Why positions are not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopPathError {
    /// There are too many.
    #[error("{depth} loops lie inside each other, {LOOP_DEPTH_MAX} are allowed")]
    TooDeep {
        /// How many there are.
        depth: usize,
    },
    /// One loop is on the path twice.
    #[error("the loop `{loop_id}` cannot lie inside itself")]
    Repeated {
        /// The loop.
        loop_id: LoopId,
    },
}

impl LoopPath {
    /// The path through `positions`, outermost first.
    pub fn new(positions: Vec<LoopPosition>) -> Result<Self, LoopPathError> {
        if positions.len() > LOOP_DEPTH_MAX {
            return Err(LoopPathError::TooDeep { depth: positions.len() });
        }
        for (depth, position) in positions.iter().enumerate() {
            if positions[..depth].iter().any(|outer| outer.loop_id == position.loop_id) {
                return Err(LoopPathError::Repeated { loop_id: position.loop_id.clone() });
            }
        }
        Ok(Self(positions))
    }

    /// The positions, outermost first.
    pub fn positions(&self) -> &[LoopPosition] {
        &self.0
    }
}
