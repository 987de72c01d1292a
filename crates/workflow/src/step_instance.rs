//! The key of one iteration of one step: `outer@0/inner@2::triage`.
//!
//! *Invariants*: one text per key and one key per text. There is no escaping, because ids contain none of the
//! characters that join them. Keys are ordered by the bytes of their text, so iteration 10 comes before
//! iteration 9. The order is for sets that must be written the same way everywhere, not for people.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use piton_core::IdError;

use crate::bounds::{ITERATION_MAX, STEP_INSTANCE_KEY_BYTES_MAX};
use crate::loop_path::{Iteration, LoopPath, LoopPathError, LoopPosition};
use crate::name::StepId;

/// The key of a step within its loops. Cheap to clone.
///
/// ```
/// use piton_workflow::StepInstanceKey;
/// let key: StepInstanceKey = "outer@0/inner@2::triage".parse()?;
/// let (loops, step) = key.parts();
/// assert_eq!(step.as_str(), "triage");
/// assert_eq!(loops.positions()[1].iteration.get(), 2);
/// # Ok::<(), piton_workflow::StepInstanceKeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepInstanceKey(Arc<str>);

/// Reason that a text is not a step instance key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepInstanceKeyError {
    #[error("a step instance key has at most {STEP_INSTANCE_KEY_BYTES_MAX} bytes")]
    TooLong,
    /// A loop has no iteration.
    #[error("a loop in a step instance key has the form `loop@iteration`")]
    Form,
    /// An iteration is not a number, too large, or not written in its only spelling.
    #[error("an iteration is a number from 0 to {ITERATION_MAX} without leading zeros")]
    Iteration,
    /// The id of a step or loop is not valid.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The loops do not fit into each other.
    #[error(transparent)]
    Path(#[from] LoopPathError),
}

impl StepInstanceKey {
    /// Creates the key of `step` inside `loops`.
    pub fn new(loops: &LoopPath, step: &StepId) -> Self {
        let mut text = loops_text(loops);
        if !text.is_empty() {
            text.push_str("::");
        }
        text.push_str(step.as_str());
        assert!(text.len() <= STEP_INSTANCE_KEY_BYTES_MAX, "the parts are bounded");
        Self(text.into())
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the step is in the iteration that `turn` ends with, or in a loop inside that iteration.
    pub fn lies_within(&self, turn: &LoopPath) -> bool {
        let prefix = loops_text(turn);
        let rest = self.0.strip_prefix(prefix.as_str());
        // The separator keeps iteration 1 from matching iteration 10. An empty path has no last iteration to
        // be within.
        !prefix.is_empty() && rest.is_some_and(|rest| rest.starts_with(['/', ':']))
    }

    /// Returns the loops around the step, and the step. Parses the text at each call.
    pub fn parts(&self) -> (LoopPath, StepId) {
        parse(&self.0).expect("a key is only made from parts or from a text that came apart")
    }
}

fn loops_text(loops: &LoopPath) -> String {
    let mut text = String::new();
    for (depth, position) in loops.positions().iter().enumerate() {
        if depth > 0 {
            text.push('/');
        }
        let LoopPosition { loop_id, iteration } = position;
        write!(text, "{loop_id}@{iteration}").expect("writing to a string does not fail");
    }
    text
}

fn parse(text: &str) -> Result<(LoopPath, StepId), StepInstanceKeyError> {
    if text.len() > STEP_INSTANCE_KEY_BYTES_MAX {
        return Err(StepInstanceKeyError::TooLong);
    }
    // Ids contain no colons, so the first `::` is the only one in a valid key.
    let Some((loops, step)) = text.split_once("::") else {
        return Ok((LoopPath::default(), text.parse()?));
    };
    let positions = loops.split('/').map(parse_position).collect::<Result<_, _>>()?;
    Ok((LoopPath::new(positions)?, step.parse()?))
}

fn parse_position(text: &str) -> Result<LoopPosition, StepInstanceKeyError> {
    let (loop_id, iteration) = text.split_once('@').ok_or(StepInstanceKeyError::Form)?;
    Ok(LoopPosition { loop_id: loop_id.parse()?, iteration: parse_iteration(iteration)? })
}

/// Parses an iteration. Only the text that [`Iteration`] itself would write is accepted: no sign, no leading
/// zero.
fn parse_iteration(text: &str) -> Result<Iteration, StepInstanceKeyError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    let number = text.parse().ok().filter(|_| digits && !leading_zero);
    number.and_then(|number| Iteration::new(number).ok()).ok_or(StepInstanceKeyError::Iteration)
}

impl FromStr for StepInstanceKey {
    type Err = StepInstanceKeyError;

    fn from_str(text: &str) -> Result<Self, StepInstanceKeyError> {
        parse(text).map(|_| Self(text.into()))
    }
}

piton_core::text_form!(
    StepInstanceKey,
    "a step instance such as `outer@0::triage`",
    "^([a-z0-9_-]+@(0|[1-9][0-9]*)(/[a-z0-9_-]+@(0|[1-9][0-9]*))*::)?[a-z0-9_-]+$",
    STEP_INSTANCE_KEY_BYTES_MAX
);
piton_core::shown_as_text!(StepInstanceKey);
