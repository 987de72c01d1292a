//! The registry of all sets, and what their cards have in common.

use std::sync::Arc;

use piton_core::Envelope;
use piton_runtime::context::Role;

use super::{Hints, Object, ToolCard, backpack, context, output, workflow, workspaces};

/// A set of tools as agents read it: the whole set, or the part that one connection gets.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Name of the set in configuration and documentation.
    pub name: &'static str,
    /// Instructions that agents read when they connect.
    pub instructions: String,
    /// The tools, in the order in which they are listed.
    pub tools: Vec<ToolCard>,
}

impl Catalogue {
    /// Returns the tool with the given name.
    pub fn tool(&self, name: &str) -> Option<&ToolCard> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Returns every set with all its tools, in the order in which agents read them.
pub fn sets() -> Vec<Arc<Catalogue>> {
    vec![
        workflow::catalogue(),
        workspaces::catalogue(),
        context::catalogue(Role::Synthesis),
        backpack::catalogue(),
    ]
}

/// Returns the schema of the structured content of every failed call.
pub fn error_schema() -> Object {
    output::<Envelope>()
}

/// Hints of a tool that writes nothing.
pub(super) const READ_ONLY: Hints = Hints { read_only: true, destructive: false, idempotent: true };

/// Hints of a tool that writes, and writes nothing more when the call is repeated.
pub(super) const IDEMPOTENT: Hints =
    Hints { read_only: false, destructive: false, idempotent: true };

/// Hints of a tool that writes with every call.
pub(super) const WRITING: Hints = Hints { read_only: false, destructive: false, idempotent: false };
