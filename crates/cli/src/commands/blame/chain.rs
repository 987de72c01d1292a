//! The steps behind something that was written while an agent was led through a workflow.

use piton_runtime::{
    provenance::{NodeBlame, NodeReference},
    request::SessionReference,
};
use serde::Serialize;

use super::run::print as say_link;
use crate::{app::App, open::Open, output};

/// Something with the steps behind it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blamed<'a, T> {
    #[serde(flatten)]
    pub(super) thing: &'a T,
    /// The steps behind its newest change; `None` if that was made for no step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) chain: Option<NodeBlame>,
}

/// Prints the steps from the start of a run to the one at which something was written.
pub(super) fn show(app: &App, open: &Open, place: Option<(&str, &str)>) -> Option<NodeBlame> {
    let Some((run, node)) = place else {
        app.output.print("\nNo step of a workflow is behind it.");
        return None;
    };
    let run = SessionReference(run.to_owned());
    let reference = NodeReference { run, node: Some(node.to_owned()) };
    match open.wait(open.runtime.blame_node(&reference)) {
        Ok(blame) => {
            app.output.print(format_args!("\nThe steps behind it, in {}:", blame.label));
            blame.chain.iter().for_each(|link| say_link(app, link));
            Some(blame)
        }
        // The run may be removed or damaged; the thing itself was shown already, so this is only a warning.
        Err(failure) => {
            let envelope = failure.envelope();
            output::warn(format_args!(
                "The run {} cannot be told: {}",
                reference.run.0, envelope.message
            ));
            None
        }
    }
}
