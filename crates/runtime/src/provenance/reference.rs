//! The things that a person names: a node of a run, a backpack, an overlay or a recorded tree; and the node behind a name.

use std::str::FromStr;

use piton_core::{Code, Envelope, NodeId, SessionId, truncate};
use piton_workflow::NodeKind;
use piton_workflow::projection::{RunNode, RunState};

use crate::bounds::NAME_QUOTED_BYTES_MAX;
use crate::request::SessionReference;
use crate::workflow::Runtime;
use crate::workflow::loaded_session::LoadedSession;
use crate::workflow::reference::{ambiguous, ends};
use piton_core::did_you_mean;

/// A node of a run as people name it: `RUN` or `RUN@NODE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReference {
    pub run: SessionReference,
    /// The node: its id, the end of the id, or the id of a step. Without it, the current position of the run.
    pub node: Option<String>,
}

/// The error for a text that names no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a node is named as RUN or RUN@NODE")]
pub struct NodeReferenceError;

impl FromStr for NodeReference {
    type Err = NodeReferenceError;

    fn from_str(text: &str) -> Result<Self, NodeReferenceError> {
        let (run, node) = name_and_place(text).ok_or(NodeReferenceError)?;
        Ok(Self { run: SessionReference(run), node })
    }
}

/// Splits `NAME` or `NAME@PLACE`. Returns nothing if one of them is empty.
fn name_and_place(text: &str) -> Option<(String, Option<String>)> {
    let (name, at) = match text.split_once('@') {
        Some((name, at)) => (name, Some(at.trim().to_owned())),
        None => (text, None),
    };
    let name = name.trim().to_owned();
    (!name.is_empty() && !at.as_ref().is_some_and(String::is_empty)).then_some((name, at))
}

piton_core::closed_set! {
    /// What can be forked or compared.
    pub enum ThingKind {
        /// A run of a workflow, at one of its nodes.
        Run => "run",
        /// A backpack at one of its commits; a run of a flow is one.
        Backpack => "backpack",
        /// An overlay.
        Overlay => "overlay",
        /// A recorded tree of the project.
        Tree => "tree",
    }
}

/// A thing as people name it: `NAME` or `NAME@PLACE`, prefixed with `KIND:` where a name fits several kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThingReference {
    /// The kind, if it was given.
    pub kind: Option<ThingKind>,
    pub name: String,
    /// The node or the commit; without it, the current state.
    pub at: Option<String>,
}

/// The error for a text that names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a run is named as RUN or RUN@NODE, a backpack as NAME or NAME@COMMIT, an overlay by its path, a tree as @, @-2 or its digest"
)]
pub struct ThingReferenceError;

impl FromStr for ThingReference {
    type Err = ThingReferenceError;

    fn from_str(text: &str) -> Result<Self, ThingReferenceError> {
        let text = text.trim();
        // A prefix that is no kind belongs to the name.
        let said = text.split_once(':').and_then(|(kind, rest)| Some((kind.parse().ok()?, rest)));
        let (kind, rest) = said.map_or((None, text), |(kind, rest)| (Some(kind), rest.trim()));
        let whole = |kind| Self { kind: Some(kind), name: rest.to_owned(), at: None };
        match (kind, rest) {
            (_, "") => Err(ThingReferenceError),
            (Some(kind @ (ThingKind::Overlay | ThingKind::Tree)), _) => Ok(whole(kind)),
            (None, path) if path.starts_with('/') => Ok(whole(ThingKind::Overlay)),
            (None, tree) if is_tree(tree) => Ok(whole(ThingKind::Tree)),
            (kind, rest) => {
                let (name, at) = name_and_place(rest).ok_or(ThingReferenceError)?;
                Ok(Self { kind, name, at })
            }
        }
    }
}

/// True if a text is `@`, or `@-` and a number.
fn is_tree(text: &str) -> bool {
    let back = |back: &str| back.is_empty() || back.strip_prefix('-').is_some_and(is_number);
    text.strip_prefix('@').is_some_and(back)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

impl ThingReference {
    /// Returns the reference as a node of a run.
    pub fn node(&self) -> NodeReference {
        NodeReference { run: SessionReference(self.name.clone()), node: self.at.clone() }
    }
}

/// A node that was found, with its session.
pub(crate) struct Placed {
    pub(crate) session: SessionId,
    pub(crate) reading: LoadedSession,
    pub(crate) run: RunState,
    pub(crate) node: NodeId,
}

impl Runtime {
    /// Returns the node that a reference names.
    pub(crate) async fn placed(&self, reference: &NodeReference) -> Result<Placed, Envelope> {
        let (session, run) = self.meant_run(&reference.run).await?;
        let reading = LoadedSession::of(&self.ports, session).await?;
        let run = reading.state.run(run).cloned().ok_or_else(|| no_node(reference))?;
        let node = match &reference.node {
            None => run.graph.preferred_tip().ok_or_else(|| no_node(reference))?.id,
            Some(text) => find(&reading, &run, text, reference).await?,
        };
        Ok(Placed { session, reading, run, node })
    }
}

/// Finds the step whose node has the id `text` or an id that ends with it, or the node on the run's path where the step
/// `text` is pending.
async fn find(
    reading: &LoadedSession,
    run: &RunState,
    text: &str,
    reference: &NodeReference,
) -> Result<NodeId, Envelope> {
    // Bookmarks and blocked attempts are nodes too, but no step is pending there.
    let is_step = |node: &&RunNode| node.kind == NodeKind::Step;
    let named: Vec<NodeId> = run
        .graph
        .nodes()
        .filter(is_step)
        .map(|node| node.id)
        .filter(|id| ends(&id.to_string(), text))
        .collect();
    match named.as_slice() {
        [node] => return Ok(*node),
        [] => {}
        several => return Err(ambiguous(text, several.iter())),
    }
    // Ids come first. A step id may occur on several branches, so only the path that the run follows is searched.
    let Some(tip) = run.graph.preferred_tip() else { return Err(no_node(reference)) };
    let path: Vec<&RunNode> = run.graph.ancestry(tip.id).collect();
    let steps = reading.steps(run, path.iter().copied()).await?;
    let is_at = |node: &&&RunNode| {
        let step = steps.get(&node.snapshot);
        step.is_some_and(|step| step.step_id.as_str() == text)
    };
    path.iter().find(is_at).map(|node| node.id).ok_or_else(|| {
        let ids: Vec<&str> = steps.values().map(|step| step.step_id.as_str()).collect();
        let error = no_node(reference);
        match did_you_mean(text, ids, &error.suggestion) {
            Some(question) => error.with_suggestion(question),
            None => error,
        }
    })
}

fn no_node(reference: &NodeReference) -> Envelope {
    let node = reference.node.as_deref().unwrap_or("its end");
    let run = truncate(&reference.run.0, NAME_QUOTED_BYTES_MAX);
    let message =
        format!("The run `{run}` has no step `{}`.", truncate(node, NAME_QUOTED_BYTES_MAX));
    Envelope::new(Code::SessionNotFound, message).with_suggestion(format!(
        "`piton session tree {run} --json` lists its nodes; a step's own id is taken as well."
    ))
}

#[cfg(test)]
mod tests {
    use super::{ThingKind, ThingReference};

    #[test]
    fn a_thing_is_named_as_people_write_it() {
        use ThingKind::{Backpack, Overlay, Run, Tree};
        for (text, kind, name, at) in [
            ("amber-otter", None, "amber-otter", None),
            ("amber-otter@second", None, "amber-otter", Some("second")),
            ("run:amber-otter@second", Some(Run), "amber-otter", Some("second")),
            ("backpack:amber-otter", Some(Backpack), "amber-otter", None),
            ("research@c12", None, "research", Some("c12")),
            ("/scratch", Some(Overlay), "/scratch", None),
            ("overlay:/a@b", Some(Overlay), "/a@b", None),
            ("@", Some(Tree), "@", None),
            ("@-2", Some(Tree), "@-2", None),
            ("tree:before", Some(Tree), "before", None),
        ] {
            let read: ThingReference = text.parse().unwrap();
            let expected = (kind, name, at);
            assert_eq!((read.kind, read.name.as_str(), read.at.as_deref()), expected, "{text}");
        }
        for text in ["", "@x", "a@", "run:", "run:@x", "  "] {
            assert!(text.parse::<ThingReference>().is_err(), "{text}");
        }
    }
}
