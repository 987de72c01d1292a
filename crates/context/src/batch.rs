//! Many operations in one text: one JSON object per line, each carried out on its own.
//!
//! *Invariants*: an operation happens completely or not at all, and one that fails does not stop those after it. The
//! same text again gives the same state.

use piton_core::Envelope;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::agent::{AgentContext, Right};
use crate::bounds::BATCH_LINES_MAX;
use crate::frame::{Appended, PutFrame};
use crate::synthesis::{Inputs, Missing, PolicySpec, RegenerateFrames, SynthesizeRequest};
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
    Put(PutFrame),
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

impl AgentContext {
    /// Carries out every line of `text`. Skips empty lines.
    pub async fn batch(&self, text: &str) -> Result<Vec<BatchLine>, Error> {
        self.agent().check(Right::Append)?;
        self.context.catch_up().await?;
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
            if let Err(error) = self.carry_out(line, &mut result).await {
                result.error = Some(error.envelope());
            }
            results.push(result);
        }
        Ok(results)
    }

    /// Carries out one line. Its paths begin at the top of the project, wherever the caller is.
    async fn carry_out(&self, line: &str, result: &mut BatchLine) -> Result<(), Error> {
        let operation = serde_json::from_str(line).map_err(|error| {
            // The line number in the file is reported separately.
            let why = error.to_string().replace(" at line 1 column ", " at column ");
            Error::Invalid(format!("the line is not an operation: {why}"))
        })?;
        let (context, agent, metadata) = (&self.context, self.agent(), self.metadata());
        match operation {
            Operation::Put(request) => {
                let node = request.node.parse()?;
                result.frame = Some(context.put_frame(&agent.id, &node, &request, metadata).await?);
            }
            Operation::Synthesize { node, frame_type, inputs, policy, recursive } => {
                agent.check(Right::Synthesize)?;
                let inputs: Inputs = inputs.parse()?;
                let missing = Missing::Refuse;
                let request = SynthesizeRequest { frame_type, inputs, policy, recursive, missing };
                let node = node.parse()?;
                let made = context.synthesize(&agent.id, &node, &request, metadata).await?;
                result.frame = made.frames.last().map(|made| made.appended);
            }
            Operation::Invalidate { node, frame_type, reason } => {
                context.invalidate(&agent.id, &node.parse()?, &frame_type, &reason).await?;
            }
            Operation::Regenerate { path } => {
                agent.check(Right::Synthesize)?;
                let request = RegenerateFrames::default();
                let done = context.regenerate(&agent.id, &request.at(path)?, metadata).await?;
                (result.made, result.stale) = (Some(done.made.len()), Some(done.skipped.len()));
            }
        }
        Ok(())
    }
}
