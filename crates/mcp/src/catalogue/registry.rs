//! Every set there is.

use std::sync::Arc;

use piton_core::Envelope;
use piton_runtime::context::Role;

use super::card::ToolCard;
use super::schema::{Object, output};
use super::{backpack, context, workflow, workspaces};

/// A set of tools as agents read it: the whole, or the part that one connection gets.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// What the set is called where it is configured and documented.
    pub name: &'static str,
    /// What agents read about it when they connect.
    pub instructions: String,
    /// Its tools, in the order in which they are listed.
    pub tools: Vec<ToolCard>,
}

impl Catalogue {
    /// The tool of a name.
    pub fn tool(&self, name: &str) -> Option<&ToolCard> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Every set with all its tools, in the order in which agents read them.
pub fn sets() -> Vec<Arc<Catalogue>> {
    vec![
        workflow::catalogue(),
        workspaces::catalogue(),
        context::catalogue(Role::Synthesis),
        backpack::catalogue(),
    ]
}

/// The schema of what every tool answers as structured content when it fails.
pub fn error_schema() -> Object {
    output::<Envelope>()
}
