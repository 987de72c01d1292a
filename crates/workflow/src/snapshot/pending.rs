//! The step that is to do.

use piton_core::BoundedText;

use crate::bounds::{RENDERED_PROMPT_BYTES_MAX, STEP_TITLE_BYTES_MAX};
use crate::name::StepId;

/// The title of a step as a reply shows it.
pub type StepTitle = BoundedText<STEP_TITLE_BYTES_MAX>;

/// The prompt of a step as a reply shows it: rendered once, when the node is made.
pub type RenderedPrompt = BoundedText<RENDERED_PROMPT_BYTES_MAX>;

/// A step that waits for its output, with everything that a reply says about it.
///
/// Where in its loops it stands is what the loop stack of its snapshot says, and nothing of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingStep {
    /// The step.
    pub step_id: StepId,
    /// Its title.
    pub title: StepTitle,
    /// What the agent is to do.
    pub prompt: RenderedPrompt,
    /// Whether a person is to be asked first.
    pub require_confirmation: bool,
}
