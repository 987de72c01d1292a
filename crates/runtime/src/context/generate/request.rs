//! What is asked for.

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

/// Frames that a model is to write.
#[derive(Clone, Debug)]
pub struct GenerateFrames {
    /// The file or directory: its path, or the beginning of its id.
    pub node: String,
    /// The type of the new frames.
    pub frame_type: FrameType,
    /// What the model is asked for; the agent's own prompt, if there is none.
    pub prompt: Option<String>,
    /// More paths whose frames the model is given.
    pub related: Vec<String>,
    /// Who is asked; the agent's provider, else the default, if nobody is named.
    pub provider: Option<ProviderName>,
    /// Which model.
    pub model: Option<String>,
    /// Whether everything below is done first.
    pub recursive: bool,
    /// Whether models are asked again where the frame is there already.
    pub force: bool,
    /// What to do about a failure.
    pub on_failure: OnFailure,
    /// The most tokens of one answer.
    pub answer_tokens_max: u32,
    /// How many models are asked at once.
    pub at_once: usize,
    /// How many calls a minute the provider gets; no limit, if there is none.
    pub per_minute: Option<u32>,
}
