//! The step that is to be done next.

use piton_core::BoundedText;

use crate::bounds::{RENDERED_PROMPT_BYTES_MAX, STEP_TITLE_BYTES_MAX};
use crate::name::StepId;

/// The title of a step as a reply shows it.
pub type StepTitle = BoundedText<STEP_TITLE_BYTES_MAX>;

/// The prompt of a step as a reply shows it: rendered once, when the node is created.
pub type RenderedPrompt = BoundedText<RENDERED_PROMPT_BYTES_MAX>;

/// A step that waits for its output, with everything that a reply says about it.
///
/// It does not record its own place within the loops: the loop stack of the snapshot says that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingStep {
    pub step_id: StepId,
    pub title: StepTitle,
    pub prompt: RenderedPrompt,
    /// Set when a person has to confirm first.
    pub require_confirmation: bool,
}
