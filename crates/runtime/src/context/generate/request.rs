//! The request for a generation.

use piton_context::word::FrameType;
use piton_models::ProviderName;

piton_core::closed_set! {
    /// What to do when a model gives no answer about a node.
    pub enum OnFailure {
        /// Begin nothing more.
        Stop => "stop",
        /// Go on with the others; directories above that node are left out.
        Continue => "continue",
    }
}

/// A request for frames written by a model.
#[derive(Clone, Debug)]
pub struct GenerateFrames {
    /// The file or directory: its path, or the beginning of its id.
    pub node: String,
    /// The type of the new frames.
    pub frame_type: FrameType,
    /// The prompt; the agent's own prompt if there is none.
    pub prompt: Option<String>,
    /// Further paths whose frames the model gets.
    pub related: Vec<String>,
    /// The provider; the agent's provider, or else the default, if none is named.
    pub provider: Option<ProviderName>,
    pub model: Option<String>,
    /// Set to process everything below first.
    pub recursive: bool,
    /// Set to ask again where a frame already exists.
    pub force: bool,
    pub on_failure: OnFailure,
    /// Maximum number of tokens of one answer.
    pub answer_tokens_max: u32,
    /// Number of concurrent calls.
    pub at_once: usize,
    /// Maximum number of calls per minute; unlimited if `None`.
    pub per_minute: Option<u32>,
}
