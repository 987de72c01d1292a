//! Comparison of two things of one kind: the meaning of their names, and whether they can be compared.
//!
//! Runs are compared in `compare_runs`, and the other kinds where they are: two backpacks in `backpack::inspect`, two
//! overlays in `workspaces`, two recorded trees in `context`.
//!
//! *Invariants*: protected values are never shown. Every list is bounded, and what is left out is counted.
//!
//! *Limitations*: Piton keeps digests of the files that a run wrote. It shows text only where it still holds both
//! contents: the current file, and the one below an overlay. For trees, it keeps no contents. A frame identical to an
//! earlier one of the same agent on the same node is that earlier frame, and stays with the step that made it. Frames
//! are those of the current project.

use piton_backpack::CommitId;
use piton_core::{Code, Envelope, truncate};

use piton_store::port::BoxFuture;

use super::reference::{ThingKind, ThingReference};
use super::reply::ThingComparison;
use crate::backpack::inspect::{BackpackReference, Backpacks};
use crate::bounds::PATH_QUOTED_BYTES_MAX;
use crate::context::ProjectContext;
use crate::request::SessionReference;
use crate::workflow::Runtime;
use crate::workspaces::FileWorld;
use piton_core::did_you_mean;

/// The places where things are looked up, as far as they exist.
pub struct Worlds<'a> {
    pub backpacks: &'a Backpacks,
    pub files: Option<&'a FileWorld>,
    pub frames: Option<&'a ProjectContext>,
}

/// Description of the things that can be compared.
const FITS: &str = "Name two runs (`piton session list`), two backpacks or runs of flows (`piton backpack list`), two overlays (`piton workspace map`) or two recorded trees (`piton context history`).";

impl Runtime {
    /// Compares two things of one kind.
    pub fn compare<'a>(
        &'a self,
        left: &'a ThingReference,
        right: &'a ThingReference,
        worlds: &'a Worlds<'_>,
    ) -> BoxFuture<'a, Result<ThingComparison, Envelope>> {
        Box::pin(async move {
            let compared = match self.common_kind(left, right, worlds).await? {
                ThingKind::Run => self.compare_nodes(&left.node(), &right.node(), worlds).await,
                ThingKind::Backpack => worlds.backpacks.compare(left, right).await,
                ThingKind::Overlay => {
                    let files = worlds.files.ok_or_else(no_workspace)?;
                    files.compare_overlays(&left.name, &right.name).await
                }
                ThingKind::Tree => {
                    let frames = worlds.frames.ok_or_else(no_project)?;
                    frames.compare_trees(&left.name, &right.name).await
                }
            };
            compared.map(ThingComparison::fit)
        })
    }

    /// Returns the one kind that both have in common.
    async fn common_kind(
        &self,
        left: &ThingReference,
        right: &ThingReference,
        worlds: &Worlds<'_>,
    ) -> Result<ThingKind, Envelope> {
        let of_left = self.kinds(left, worlds).await?;
        let of_right = self.kinds(right, worlds).await?;
        // A name may be ambiguous on its own. It is clear if the other one leaves only one kind in common.
        let common: Vec<ThingKind> =
            of_left.iter().copied().filter(|kind| of_right.contains(kind)).collect();
        match common.as_slice() {
            [kind] => Ok(*kind),
            [] => Err(mixed(left, &of_left, right, &of_right)),
            several => Err(unclear(&left.name, several)),
        }
    }

    /// Returns the kind of a thing, if it is unambiguous.
    pub(crate) async fn kind_of(
        &self,
        thing: &ThingReference,
        worlds: &Worlds<'_>,
    ) -> Result<ThingKind, Envelope> {
        match self.kinds(thing, worlds).await?.as_slice() {
            [kind] => Ok(*kind),
            several => Err(unclear(&thing.name, several)),
        }
    }

    /// Returns the kinds that a name can mean, at least one.
    async fn kinds(
        &self,
        thing: &ThingReference,
        worlds: &Worlds<'_>,
    ) -> Result<Vec<ThingKind>, Envelope> {
        if let Some(kind) = thing.kind {
            return Ok(vec![kind]);
        }
        let mut kinds = Vec::new();
        // Only "not found" rules a kind out. A name that matches several runs, or a damaged one, still means a run. The
        // exact error is reported when the run is read.
        let is_there = |code: Code, found: Option<Code>| found != Some(code);
        let run = self.meant_run(&SessionReference(thing.name.clone())).await;
        if is_there(Code::SessionNotFound, run.err().map(|error| error.code)) {
            kinds.push(ThingKind::Run);
        }
        let backpack = worlds.backpacks.meant(&BackpackReference(thing.name.clone())).await;
        // A commit id names a backpack indirectly. Searching all backpacks for it is left to the comparison.
        let is_commit = thing.at.is_none() && thing.name.parse::<CommitId>().is_ok();
        if is_commit || is_there(Code::BackpackNotFound, backpack.err().map(|error| error.code)) {
            kinds.push(ThingKind::Backpack);
        }
        if thing.at.is_none()
            && let (Some(frames), Ok(tree)) = (worlds.frames, thing.name.parse())
            && frames.context.root(&tree).await.is_ok()
        {
            kinds.push(ThingKind::Tree);
        }
        if kinds.is_empty() {
            let mut names = self.run_labels().await?;
            names.extend(worlds.backpacks.names().await?);
            return Err(nothing(&thing.name, &names));
        }
        Ok(kinds)
    }
}

/// Builds the error for an overlay where no Workspaces are configured.
pub(super) fn no_workspace() -> Envelope {
    Envelope::new(Code::WorkspaceUnmapped, "No Workspace is configured here.")
        .with_suggestion("Go to the project that has the overlay, or add --workspace.")
}

fn no_project() -> Envelope {
    Envelope::new(Code::ContextNotScanned, "There is no project here that was scanned.")
        .with_suggestion("Go to the directory of a project, and scan it with `piton context scan`.")
}

fn nothing(asked: &str, names: &[String]) -> Envelope {
    let name = truncate(asked, PATH_QUOTED_BYTES_MAX);
    let message = format!("There is no run, backpack or recorded tree `{name}` here.");
    let lists = "`piton session list` shows runs, `piton backpack list` backpacks and runs of flows, `piton context \
                 history` recorded trees. An overlay is named by its path.";
    let question = did_you_mean(asked, names.iter().map(String::as_str), lists);
    Envelope::new(Code::StoreNotFound, message)
        .with_suggestion(question.unwrap_or(lists.to_owned()))
}

fn unclear(name: &str, kinds: &[ThingKind]) -> Envelope {
    let name = truncate(name, PATH_QUOTED_BYTES_MAX);
    let forms: Vec<String> = kinds.iter().map(|kind| format!("{kind}:{name}")).collect();
    let message = format!("`{name}` is the name of things of several kinds.");
    let suggestion = format!("Say which is meant: {}.", forms.join(" or "));
    Envelope::new(Code::ValidationError, message).with_suggestion(suggestion)
}

fn mixed(
    left: &ThingReference,
    of_left: &[ThingKind],
    right: &ThingReference,
    of_right: &[ThingKind],
) -> Envelope {
    let words = |kinds: &[ThingKind]| {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        names.join(" or a ")
    };
    let message = format!(
        "`{}` is a {} and `{}` is a {}: there is nothing to compare.",
        truncate(&left.name, PATH_QUOTED_BYTES_MAX),
        words(of_left),
        truncate(&right.name, PATH_QUOTED_BYTES_MAX),
        words(of_right),
    )
    .replace("is a overlay", "is an overlay");
    Envelope::new(Code::ValidationError, message).with_suggestion(FITS)
}
