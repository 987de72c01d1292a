//! The tools, each with all its texts in one place.

use std::sync::Arc;

use piton_runtime::context::{
    ComposeContext, ComposedContext, FramesMade, GetContext, NodeShown, PutFrame, PutFrameReply,
    RegenerateFrames, Regenerated, Right, Role, SynthesizeFrames,
};

use super::words;
use crate::catalogue::{Catalogue, Hints, Object, ToolCard, input, output};

piton_core::closed_set! {
    /// Names a tool of the set `context`.
    pub enum ContextTool {
        /// A node with its frames.
        GetContext => "get_context",
        /// What to read about a node.
        ComposeContext => "compose_context",
        /// Writes a frame.
        PutFrame => "put_frame",
        /// Makes the frame of a directory.
        Synthesize => "synthesize",
        /// Makes frames anew.
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
    let mut instructions = words::INSTRUCTIONS.to_owned();
    if role.allows(Right::Append) {
        instructions = format!("{instructions} {}", words::WRITING);
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
        ToolCard {
            name: self.as_str(),
            title: self.title(),
            description: self.description().to_owned(),
            hints: Hints {
                read_only: matches!(self.needs(), Right::Read),
                destructive: false,
                idempotent: true,
            },
            input: Arc::new(self.input_schema()),
            output: Arc::new(self.output_schema()),
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::GetContext => "Show the context of a file",
            Self::ComposeContext => "Compose context for a file",
            Self::PutFrame => "Put a frame on a file",
            Self::Synthesize => "Synthesise a directory",
            Self::Regenerate => "Regenerate frames",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::GetContext => words::GET_CONTEXT,
            Self::ComposeContext => words::COMPOSE_CONTEXT,
            Self::PutFrame => words::PUT_FRAME,
            Self::Synthesize => words::SYNTHESIZE,
            Self::Regenerate => words::REGENERATE,
        }
    }

    fn input_schema(self) -> Object {
        match self {
            Self::GetContext => input::<GetContext>(),
            Self::ComposeContext => input::<ComposeContext>(),
            Self::PutFrame => input::<PutFrame>(),
            Self::Synthesize => input::<SynthesizeFrames>(),
            Self::Regenerate => input::<RegenerateFrames>(),
        }
    }

    fn output_schema(self) -> Object {
        match self {
            Self::GetContext => output::<NodeShown>(),
            Self::ComposeContext => output::<ComposedContext>(),
            Self::PutFrame => output::<PutFrameReply>(),
            Self::Synthesize => output::<FramesMade>(),
            Self::Regenerate => output::<Regenerated>(),
        }
    }
}
