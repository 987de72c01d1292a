//! Review of an overlay: its changes line by line, and applying, dropping or forking them.

use std::sync::Arc;

use piton_core::{Code, Envelope, shell_word};
use piton_workspaces::audit::AuditRecord;
use piton_workspaces::config::{OpenedOverlay, WorkspaceConfig};
use piton_workspaces::overlay::{Applied, ApplyRequest, DifferenceKind, OverlayDifference};
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::StoreFault;
use piton_workspaces::{Error, Files};
use serde::{Serialize, Serializer};
use similar::{ChangeTag, TextDiff};

use piton_store::port::BoxFuture;

use super::file_world::{FileWorld, actor, parse};
use crate::bounds::{
    DIFF_TIME_MAX, FILE_DIFF_BYTES_MAX, OVERLAY_CHANGES_SHOWN_MAX, OVERLAY_DIFF_BYTES_MAX,
};
use crate::provenance::ForkedOverlay;

/// A path that an overlay changed, compared with the current state below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeShown {
    #[serde(flatten)]
    pub difference: OverlayDifference,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// The last change.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flat_record")]
    pub by: Option<AuditRecord>,
    /// Unified diff; `None` for a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

#[expect(clippy::ref_option, reason = "this is the form that serde asks for")]
fn flat_record<S: Serializer>(by: &Option<AuditRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    by.as_ref().map(AuditRecord::flat).serialize(serializer)
}

/// The changes of an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverlayDiff {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    /// The first paths, in order.
    pub changes: Vec<ChangeShown>,
    /// Number of further paths left out.
    pub left_out: usize,
    /// All differences, to be applied as they were shown.
    #[serde(skip)]
    pub reviewed: Vec<OverlayDifference>,
}

impl OverlayDiff {
    /// Returns the number of changed paths, including those left out.
    pub fn total(&self) -> usize {
        self.changes.len() + self.left_out
    }
}

/// The result of applying an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedOverlay {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    #[serde(flatten)]
    pub applied: Applied,
}

/// The result of dropping an overlay, which then shows the state below again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedOverlay {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    /// Number of changes that were dropped.
    pub changes: usize,
}

/// Suggestion for a fork without a usable name.
const ANOTHER: &str = "Name another overlay: --into /NAME.";

impl FileWorld {
    /// Returns the changes of an overlay, line by line, with the author of the last change.
    pub async fn diff(&self, prefix: &str) -> Result<OverlayDiff, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = overlay.store.diff().await.map_err(overlay_error(overlay))?;
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for one in differences.iter().take(OVERLAY_CHANGES_SHOWN_MAX) {
            // Once the limit is used up, later paths are still listed, without their lines.
            let change = self.change_shown(overlay, one, bytes < OVERLAY_DIFF_BYTES_MAX).await?;
            bytes += change.diff.as_ref().map_or(0, String::len);
            changes.push(change);
        }
        Ok(OverlayDiff {
            overlay: overlay.prefix.clone(),
            over: overlay.over.clone(),
            left_out: differences.len() - changes.len(),
            changes,
            // All differences are kept, not only those shown: apply compares them with the state at that time.
            reviewed: differences,
        })
    }

    /// Iterates over the overlays, each with the Workspace below it.
    pub(crate) fn overlay_prefixes(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.overlays.iter().map(|one| (one.prefix.to_string(), one.over.to_string()))
    }

    /// Returns the number of paths that an overlay changed.
    pub(crate) async fn change_count(&self, prefix: &str) -> Result<usize, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = overlay.store.diff().await.map_err(overlay_error(overlay))?;
        Ok(differences.len())
    }

    /// Applies the changes that `person` reviewed to the Workspace below. If something below changed since it was
    /// copied up, nothing is applied, unless `leaves_conflicts` is set: then the conflicting changes stay in the
    /// overlay. Anything written after the review stays there as well.
    pub fn apply<'a>(
        &'a self,
        prefix: &'a str,
        person: &'a str,
        reviewed: &'a [OverlayDifference],
        leaves_conflicts: bool,
    ) -> BoxFuture<'a, Result<AppliedOverlay, Envelope>> {
        Box::pin(async move {
            let overlay = self.overlay(prefix)?;
            // The operator sees the lower Store read-write, whatever scope agents have there. Protected names stay
            // protected.
            let operator = overlay.store.operator(&overlay.over)?;
            let files = Files::new(Arc::new(operator));
            let files = files.recorded(self.ledgers.clone(), actor(person, None));
            let request = ApplyRequest {
                over: overlay.over.clone(),
                overlay: Some(overlay.prefix.clone()),
                reviewed: Some(reviewed.to_vec()),
                leaves_conflicts,
            };
            // An error here means that nothing was applied. A failure after the first change is part of the answer, in
            // `stopped`.
            let applied = overlay.store.apply(&files, &request).await;
            // If this fails, the next process to open the records settles them. The caller must still learn what was
            // applied.
            let flushed = self.ledgers.flush().await;
            let mut applied = applied.map_err(|error| match &error {
            Error::OverlayConflict { paths, changes } => {
                let overlay = shell_word(overlay.prefix.as_str());
                // If every change conflicts, `--leave-conflicts` would apply nothing, so it is not suggested.
                let next = if paths.len() == *changes {
                    format!("Bring them in by hand, then drop the overlay with `piton workspace drop {overlay}`.")
                } else {
                    format!("Apply the rest, and leave these in the overlay, with `piton workspace apply {overlay} --leave-conflicts`; then bring these in by hand.")
                };
                let compare = format!("Compare both sides with `piton workspace diff {overlay}`.");
                error.envelope().with_suggestion(format!("{compare} {next}"))
            }
            _ => error.into(),
        })?;
            applied.stopped = applied.stopped.or(flushed.err());
            let (overlay, over) = (overlay.prefix.clone(), overlay.over.clone());
            Ok(AppliedOverlay { overlay, over, applied })
        })
    }

    /// Discards the changes of an overlay.
    pub async fn drop_overlay(&self, prefix: &str) -> Result<DroppedOverlay, Envelope> {
        let overlay = self.overlay(prefix)?;
        let changes = overlay.store.diff().await.map_err(overlay_error(overlay))?.len();
        overlay.store.drop_all().await.map_err(overlay_error(overlay))?;
        let (overlay, over) = (overlay.prefix.clone(), overlay.over.clone());
        Ok(DroppedOverlay { overlay, over, changes })
    }

    /// Makes the overlay at `into` show what the one at `prefix` shows. It must be empty and lie over the same
    /// Workspace.
    pub async fn fork_overlay(
        &self,
        prefix: &str,
        into: Option<&str>,
    ) -> Result<ForkedOverlay, Envelope> {
        let refused = |message: String, suggestion: &str| {
            Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
        };
        let from = self.overlay(prefix)?;
        let into = into.ok_or_else(|| {
            let message = format!("It is not said what the fork of {} is called.", from.prefix);
            refused(message, ANOTHER)
        })?;
        let to = self.overlay(into)?;
        if to.prefix == from.prefix {
            let message = format!("{} cannot be forked into itself.", from.prefix);
            return Err(refused(message, ANOTHER));
        }
        if to.over != from.over {
            let message = format!(
                "{} lies over {} and {} over {}: the changes of one mean nothing in the other.",
                from.prefix, from.over, to.prefix, to.over
            );
            return Err(refused(message, "Fork it into an overlay over the same Workspace."));
        }
        // The fork must outlive this process, so neither side may be in memory.
        let is_kept = |overlay: &OpenedOverlay| {
            let own =
                |config: &WorkspaceConfig| config.prefix.parse().as_ref() == Ok(&overlay.prefix);
            self.declared.iter().any(|(config, _)| own(config) && config.memory.is_none())
        };
        if !is_kept(from) || !is_kept(to) {
            let message = "An overlay in memory ends with its process.".to_owned();
            return Err(refused(message, "Fork one that is kept into one that is: `virtual`."));
        }
        // The Store checks that the target is empty, and refuses it otherwise.
        let copied = from.store.fork_into(&to.store).await;
        copied.map_err(|fault| match fault {
            StoreFault::NotEmpty => refused(
                format!("{} has changes of its own; nothing was copied.", to.prefix),
                &format!(
                    "Drop them with `piton workspace drop {}`, or name another overlay.",
                    shell_word(to.prefix.as_str())
                ),
            ),
            other => overlay_error(to)(other).into(),
        })?;
        Ok(ForkedOverlay {
            overlay: to.prefix.to_string(),
            of: from.prefix.to_string(),
            over: from.over.to_string(),
            changes: to.store.diff().await.map_err(overlay_error(to))?.len(),
        })
    }

    /// Returns the overlay at a prefix, or the only one if none is named.
    pub(super) fn overlay(&self, prefix: &str) -> Result<&OpenedOverlay, Envelope> {
        if prefix.is_empty()
            && let [only] = self.overlays.as_slice()
        {
            return Ok(only);
        }
        let names: Vec<String> = self.overlays.iter().map(|one| one.prefix.to_string()).collect();
        let suggestion = match names.as_slice() {
            [] => "There is none: a Workspace with `over` is one.".to_owned(),
            names => format!("Name one of {}.", names.join(", ")),
        };
        if prefix.is_empty() {
            let message = "It is not said which overlay is meant.";
            return Err(
                Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
            );
        }
        let path = parse(prefix)?;
        self.overlays.iter().find(|one| one.prefix == path).ok_or_else(|| {
            let message = format!("{path} is no overlay.");
            Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(suggestion)
        })
    }

    async fn change_shown(
        &self,
        overlay: &OpenedOverlay,
        one: &OverlayDifference,
        with_lines: bool,
    ) -> Result<ChangeShown, Envelope> {
        let path = overlay.prefix.join(&one.path);
        // The diff is still useful without its author, so an unreadable record is not an error here.
        let by = self.ledgers.last(&self.workspaces, &path).await.ok().flatten();
        let difference = one.clone();
        let mut change = ChangeShown { difference, added: 0, removed: 0, by, diff: None };
        if one.kind == DifferenceKind::Directory {
            return Ok(change);
        }
        let path = one.path.as_str();
        if !with_lines {
            change.diff = Some(not_shown(path));
            return Ok(change);
        }
        let (below, above) = overlay.store.contents(one).await.map_err(overlay_error(overlay))?;
        if below.is_some() || above.is_some() {
            let compared = compare(path, below.as_deref(), above.as_deref());
            (change.added, change.removed) = (compared.added, compared.removed);
            change.diff = Some(mode_line(one) + &compared.diff);
        }
        Ok(change)
    }
}

/// Returns the lines with which `git diff` reports a change of the executable bit.
fn mode_line(one: &OverlayDifference) -> String {
    match (one.kind, one.executable) {
        (_, None) => String::new(),
        (DifferenceKind::Added, Some(_)) => "new file mode 100755\n".to_owned(),
        (_, Some(true)) => "old mode 100644\nnew mode 100755\n".to_owned(),
        (_, Some(false)) => "old mode 100755\nnew mode 100644\n".to_owned(),
    }
}

pub(super) fn overlay_error(overlay: &OpenedOverlay) -> impl Fn(StoreFault) -> Error {
    let path = overlay.prefix.clone();
    move |fault| Error::File { path: path.clone(), fault }
}

/// The differences between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compared {
    added: usize,
    removed: usize,
    diff: String,
}

/// Compares the content below with the content above. Either may be missing.
fn compare(path: &str, below: Option<&[u8]>, above: Option<&[u8]>) -> Compared {
    let name = |side: &str, content: Option<&[u8]>| {
        content.map_or_else(|| "/dev/null".to_owned(), |_| format!("{side}/{path}"))
    };
    let (from, to) = (name("a", below), name("b", above));
    let size = |content: Option<&[u8]>| content.map_or(0, <[u8]>::len);
    let text =
        |content: Option<&[u8]>| str::from_utf8(content.unwrap_or_default()).map(str::to_owned);
    let small = size(below) + size(above) <= FILE_DIFF_BYTES_MAX;
    let (Ok(old), Ok(new), true) = (text(below), text(above), small) else {
        let diff = format!(
            "--- {from}\n+++ {to}\nnot compared line by line: {} bytes before, {} after\n",
            size(below),
            size(above)
        );
        return Compared { added: 0, removed: 0, diff };
    };
    let compared = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(&old, &new);
    let count = |tag| compared.iter_all_changes().filter(|change| change.tag() == tag).count();
    Compared {
        added: count(ChangeTag::Insert),
        removed: count(ChangeTag::Delete),
        diff: compared.unified_diff().header(&from, &to).to_string(),
    }
}

/// Returns the placeholder for the lines of a path once the limit is used up by the paths before it.
fn not_shown(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\nnot shown: there are too many lines before these\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(below: Option<&str>, above: Option<&str>, expected: (usize, usize, &str)) {
        let compared = compare("a.txt", below.map(str::as_bytes), above.map(str::as_bytes));
        assert_eq!((compared.added, compared.removed, compared.diff.as_str()), expected);
    }

    #[test]
    fn contents_are_shown_as_a_unified_diff() {
        check(
            Some("one\ntwo\n"),
            Some("one\n2\n"),
            (1, 1, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
        );
        check(None, Some("new\n"), (1, 0, "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+new\n"));
        check(Some("old\n"), None, (0, 1, "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"));
    }

    #[test]
    fn what_is_no_text_is_counted_in_bytes() {
        let compared = compare("a.bin", Some(b"\xff\xfe"), Some(b"text"));
        assert_eq!((compared.added, compared.removed), (0, 0));
        assert!(compared.diff.ends_with("2 bytes before, 4 after\n"), "{}", compared.diff);
    }
}
