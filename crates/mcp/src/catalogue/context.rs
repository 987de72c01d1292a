//! The set `context`, limited to what the role of the connection's agent allows: its tools with their texts, schemas and
//! hints.
//!
//! Remarks about a single field are at that field, in the types of the requests.

use std::sync::Arc;

use piton_runtime::context::{
    Appended, ComposeContext, Composed, GetContext, NodeContext, PutFrame, RegenerateFrames,
    Regenerated, Right, Role, SynthesizeFrames, Synthesized,
};

use super::ToolCard;
use super::registry::{Catalogue, IDEMPOTENT, READ_ONLY};

piton_core::closed_set! {
    /// Names a tool of the set `context`.
    pub enum ContextTool {
        /// Shows a node with its frames.
        GetContext => "get_context",
        /// Composes what to read about a node.
        ComposeContext => "compose_context",
        /// Writes a frame.
        PutFrame => "put_frame",
        /// Makes the frame of a directory.
        Synthesize => "synthesize",
        /// Regenerates frames.
        Regenerate => "regenerate",
    }
}

/// Returns the part of the set that an agent of a role gets.
pub fn catalogue(role: Role) -> Arc<Catalogue> {
    let tools: Vec<ToolCard> = ContextTool::ALL
        .iter()
        .filter(|tool| role.allows(tool.needs()))
        .map(|tool| tool.card().within_a_run())
        .collect();
    let mut instructions = INSTRUCTIONS.to_owned();
    if role.allows(Right::Append) {
        instructions = format!("{instructions} {FOR_WRITERS}");
    }
    Arc::new(Catalogue { name: "context", instructions, tools })
}

impl ContextTool {
    /// Returns the right that an agent needs to call the tool.
    pub const fn needs(self) -> Right {
        match self {
            Self::GetContext | Self::ComposeContext => Right::Read,
            Self::PutFrame => Right::Append,
            Self::Synthesize | Self::Regenerate => Right::Synthesize,
        }
    }

    fn card(self) -> ToolCard {
        let name = self.as_str();
        match self {
            Self::GetContext => ToolCard::new::<GetContext, NodeContext>(
                name,
                "Show the context of a file",
                GET_CONTEXT,
                READ_ONLY,
            ),
            Self::ComposeContext => ToolCard::new::<ComposeContext, Composed>(
                name,
                "Compose context for a file",
                COMPOSE_CONTEXT,
                READ_ONLY,
            ),
            Self::PutFrame => ToolCard::new::<PutFrame, Appended>(
                name,
                "Put a frame on a file",
                PUT_FRAME,
                IDEMPOTENT,
            ),
            Self::Synthesize => ToolCard::new::<SynthesizeFrames, Synthesized>(
                name,
                "Synthesise a directory",
                SYNTHESIZE,
                IDEMPOTENT,
            ),
            Self::Regenerate => ToolCard::new::<RegenerateFrames, Regenerated>(
                name,
                "Regenerate frames",
                REGENERATE,
                IDEMPOTENT,
            ),
        }
    }
}

/// Instructions that an agent reads when it connects.
const INSTRUCTIONS: &str = "\
Context: what agents wrote about the files and directories of this project, each piece a frame with its type, its \
agent, and whether it is fresh. Before you read many files, ask compose_context about the one that you work on.";

/// Additional instructions for an agent that may write.
const FOR_WRITERS: &str = "\
When you have understood a file or directory, keep it with put_frame, for whoever comes next.";

const GET_CONTEXT: &str = "\
Shows a file or directory and the frames on it. A stale frame says why: read the file before you rely on it.";

const COMPOSE_CONTEXT: &str = "\
Puts together what is written about a file or directory, the directory that it is in, and what lies beside it: the \
most relevant first, within a budget of tokens.";

const PUT_FRAME: &str = "\
Puts a frame on a file or directory as it is now. Frames are never overwritten: a new one of the same type takes the \
place of the old one, which stays in the history. To repeat a call is harmless.";

const SYNTHESIZE: &str = "\
Makes the frame of a directory from the frames of its entries, by a fixed rule and without a model.";

const REGENERATE: &str = "\
Regenerates synthesised frames whose entries have changed since. What was written by hand is listed as stale and \
stays as it is.";
