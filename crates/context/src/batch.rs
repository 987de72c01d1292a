//! Many operations in one text: one JSON object per line, each carried out on its own.
//!
//! *Invariants*: an operation happens completely or not at all, and one that fails does not stop those after it. The
//! same text again gives the same state.

use piton_core::Envelope;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::agent::AgentAdapter;
use crate::bounds::BATCH_LINES_MAX;
use crate::frame::{Appended, NewFrame};
use crate::history::NodeRef;
use crate::synthesis::{Inputs, Missing, PolicySpec, RegenerateScope, SynthesizeRequest};
use crate::tree::TreePath;
use crate::word::FrameType;

/// One operation.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    tag = "op",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
enum Operation {
    Put {
        node: String,
        frame_type: FrameType,
        content: String,
        #[serde(default)]
        allow_stale: bool,
    },
    Synthesize {
        node: String,
        frame_type: FrameType,
        inputs: String,
        #[serde(default)]
        policy: PolicySpec,
        #[serde(default)]
        recursive: bool,
    },
    Invalidate {
        node: String,
        frame_type: FrameType,
        reason: String,
    },
    Regenerate {
        path: TreePath,
    },
}

/// Result of one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchLine {
    /// Number of the line, from 1.
    pub line: usize,
    /// The frame that was made or already existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Appended>,
    /// Number of frames that a regeneration made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<usize>,
    /// Number of frames that stay stale after a regeneration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Envelope>,
}

/// Carries out every line of `text` as one agent. Skips empty lines.
pub async fn batch(agent: &AgentAdapter, text: &str) -> Result<Vec<BatchLine>, Error> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let lines: Vec<(usize, &str)> = lines.collect();
    if lines.len() > BATCH_LINES_MAX {
        return Err(Error::Invalid(format!(
            "the batch has {} operations; at most {BATCH_LINES_MAX}. Nothing was done.",
            lines.len()
        )));
    }
    let mut results = Vec::with_capacity(lines.len());
    for (place, line) in lines {
        let mut result =
            BatchLine { line: place + 1, frame: None, made: None, stale: None, error: None };
        if let Err(error) = carry_out(agent, line, &mut result).await {
            result.error = Some(error.envelope());
        }
        results.push(result);
    }
    Ok(results)
}

async fn carry_out(agent: &AgentAdapter, line: &str, result: &mut BatchLine) -> Result<(), Error> {
    let operation = serde_json::from_str(line).map_err(|error| {
        // The line number in the file is reported separately.
        let why = error.to_string().replace(" at line 1 column ", " at column ");
        Error::Invalid(format!("the line is not an operation: {why}"))
    })?;
    match operation {
        Operation::Put { node, frame_type, content, allow_stale } => {
            let node: NodeRef = node.parse()?;
            let frame = NewFrame::new(frame_type, content);
            result.frame = Some(agent.write_context(&node, frame, allow_stale).await?);
        }
        Operation::Synthesize { node, frame_type, inputs, policy, recursive } => {
            let inputs: Inputs = inputs.parse()?;
            let missing = Missing::Refuse;
            let request = SynthesizeRequest { frame_type, inputs, policy, recursive, missing };
            let made = agent.synthesize(&node.parse()?, &request).await?;
            result.frame = made.frames.last().map(|(_, frame)| *frame);
        }
        Operation::Invalidate { node, frame_type, reason } => {
            agent.invalidate(&node.parse()?, &frame_type, &reason).await?;
        }
        Operation::Regenerate { path } => {
            let done = agent.regenerate(&RegenerateScope::subtree(path)).await?;
            (result.made, result.stale) = (Some(done.made.len()), Some(done.skipped.len()));
        }
    }
    Ok(())
}
