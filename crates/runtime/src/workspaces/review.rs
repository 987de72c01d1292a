//! Review of an overlay: its changes, line by line and bounded, each with a mark by which it is recognised when somebody
//! decides about it.

use std::collections::BTreeMap;

use piton_core::canonical::encode;
use piton_core::{Code, Digest, Envelope, shell_word, shorten};
use piton_workspaces::Error;
use piton_workspaces::audit::{AuditRecord, FlatRecord};
use piton_workspaces::config::OpenedOverlay;
use piton_workspaces::overlay::{DifferenceKind, LowerEntry, OverlayDifference};
use piton_workspaces::path::{LogicalPath, MountPath};
use piton_workspaces::store::StoreFault;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::file_world::{FileWorld, parse};
use crate::bounds::{
    DIFF_TIME_MAX, FILE_DIFF_BYTES_MAX, OVERLAY_CHANGES_SHOWN_MAX, OVERLAY_DIFF_BYTES_MAX,
    OVERLAY_FILE_DIFF_BYTES_MAX, OVERLAY_FILE_LINES_MAX, OVERLAY_LINE_BYTES_MAX, PAGE_MAX, is_zero,
};

/// A path that an overlay changed, compared with the current state below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverlayChange {
    #[serde(flatten)]
    pub difference: OverlayDifference,
    /// Mark of everything that was seen of the path, above and below. A decision about the change names it.
    pub seen: Digest,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// The last change.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flat_record")]
    #[schemars(with = "Option<FlatRecord<'static>>")]
    pub by: Option<AuditRecord>,
    /// Unified diff; `None` for a directory, and in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Number of lines of the diff that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
}

#[expect(clippy::ref_option, reason = "this is the form that serde asks for")]
fn flat_record<S: Serializer>(by: &Option<AuditRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    by.as_ref().map(AuditRecord::flat).serialize(serializer)
}

/// The changes of an overlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverlayDiff {
    pub overlay: LogicalPath,
    /// The Workspace below.
    pub over: LogicalPath,
    /// Number of paths before these.
    #[serde(skip_serializing_if = "is_zero")]
    pub from: usize,
    /// The paths, in order.
    pub changes: Vec<OverlayChange>,
    /// Number of further paths left out.
    pub left_out: usize,
    /// All differences, to be applied as they were shown.
    #[serde(skip)]
    pub reviewed: Vec<OverlayDifference>,
}

impl OverlayDiff {
    /// Returns the number of changed paths, including those left out.
    pub fn total(&self) -> usize {
        self.from + self.changes.len() + self.left_out
    }
}

/// How much of a change is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffDetail {
    /// The path alone, because the paths before it used up the limit.
    Path,
    /// The numbers of added and removed lines.
    Counts,
    /// All lines.
    Lines,
}

impl FileWorld {
    /// Returns the changes of an overlay at these paths, or all of them, line by line, with the author of the last
    /// change.
    pub async fn diff(&self, prefix: &str, paths: &[String]) -> Result<OverlayDiff, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = self.differences(overlay, paths).await?;
        let marks = marks(&differences);
        let (mut changes, mut bytes) = (Vec::new(), 0);
        for one in differences.iter().take(OVERLAY_CHANGES_SHOWN_MAX) {
            // Once the limit is used up, later paths are still listed, without their lines.
            let is_full = bytes >= OVERLAY_DIFF_BYTES_MAX;
            let detail = if is_full { DiffDetail::Path } else { DiffDetail::Lines };
            let change = self.change_shown(overlay, one, &marks, detail).await?;
            bytes += change.diff.as_ref().map_or(0, String::len);
            changes.push(change);
        }
        Ok(OverlayDiff {
            overlay: overlay.prefix.clone(),
            over: overlay.over.clone(),
            from: 0,
            left_out: differences.len() - changes.len(),
            changes,
            // All differences are kept, not only those shown: apply compares them with the state at that time.
            reviewed: differences,
        })
    }

    /// Iterates over the overlays, each with the Workspace below it.
    pub fn overlay_prefixes(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.overlays.iter().map(|one| (one.prefix.to_string(), one.over.to_string()))
    }

    /// Returns the number of paths that an overlay changed.
    pub(crate) async fn change_count(&self, prefix: &str) -> Result<usize, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = overlay.store.diff().await.map_err(overlay_error(overlay))?;
        Ok(differences.len())
    }

    /// Returns a page of the changes of an overlay, without their lines.
    pub async fn overlay_changes(
        &self,
        prefix: &str,
        from: usize,
        limit: usize,
    ) -> Result<OverlayDiff, Envelope> {
        let overlay = self.overlay(prefix)?;
        let differences = self.differences(overlay, &[]).await?;
        let marks = marks(&differences);
        let from = from.min(differences.len());
        let mut changes = Vec::new();
        for one in differences[from..].iter().take(limit.clamp(1, PAGE_MAX)) {
            changes.push(self.change_shown(overlay, one, &marks, DiffDetail::Counts).await?);
        }
        Ok(OverlayDiff {
            overlay: overlay.prefix.clone(),
            over: overlay.over.clone(),
            from,
            left_out: differences.len() - from - changes.len(),
            changes,
            reviewed: differences,
        })
    }

    /// Returns the changes of one path of an overlay with their lines, of which the first are kept and the others
    /// counted. There are two changes where an entry replaced one of another kind.
    pub async fn overlay_change(
        &self,
        prefix: &str,
        path: &str,
    ) -> Result<Vec<OverlayChange>, Envelope> {
        let overlay = self.overlay(prefix)?;
        let mut differences = self.differences(overlay, &[path.to_owned()]).await?;
        let at = path_in(overlay, path)?;
        differences.retain(|one| one.path == at);
        let marks = marks(&differences);
        let mut changes = Vec::new();
        for one in &differences {
            let mut change = self.change_shown(overlay, one, &marks, DiffDetail::Lines).await?;
            if let Some(diff) = &mut change.diff {
                (*diff, change.lines_left_out) = fitting_lines(diff);
            }
            changes.push(change);
        }
        Ok(changes)
    }

    /// Returns the differences of an overlay at these paths and inside them, or all. Refuses a path without any.
    pub(super) async fn differences(
        &self,
        overlay: &OpenedOverlay,
        paths: &[String],
    ) -> Result<Vec<OverlayDifference>, Envelope> {
        let mut differences = overlay.store.diff().await.map_err(overlay_error(overlay))?;
        let mut chosen = Vec::new();
        for text in paths {
            let path = path_in(overlay, text)?;
            if !differences.iter().any(|one| one.path.starts_with(&path)) {
                return Err(no_change(overlay, &path, &differences));
            }
            chosen.push(path);
        }
        differences.retain(|one| {
            chosen.is_empty() || chosen.iter().any(|path| one.path.starts_with(path))
        });
        Ok(differences)
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
        marks: &BTreeMap<MountPath, Digest>,
        detail: DiffDetail,
    ) -> Result<OverlayChange, Envelope> {
        let path = overlay.prefix.join(&one.path);
        // The diff is still useful without its author, so an unreadable record is not an error here.
        let by = self.ledgers.last(&self.workspaces, &path).await.ok().flatten();
        let mut change = OverlayChange {
            seen: marks[&one.path],
            difference: one.clone(),
            added: 0,
            removed: 0,
            by,
            diff: None,
            lines_left_out: 0,
        };
        if one.kind == DifferenceKind::Directory {
            return Ok(change);
        }
        let path = one.path.as_str();
        if detail == DiffDetail::Path {
            change.diff = Some(not_shown(path));
            return Ok(change);
        }
        let (below, above) = overlay.store.contents(one).await.map_err(overlay_error(overlay))?;
        if below.is_some() || above.is_some() {
            let compared = compare(path, below.as_deref(), above.as_deref());
            (change.added, change.removed) = (compared.added, compared.removed);
            change.diff = (detail == DiffDetail::Lines).then(|| mode_line(one) + &compared.diff);
        }
        Ok(change)
    }
}

/// Returns a mark for each path, of everything that a reviewer can see there.
pub(super) fn marks(differences: &[OverlayDifference]) -> BTreeMap<MountPath, Digest> {
    let mut by_path: BTreeMap<MountPath, Vec<serde_json::Value>> = BTreeMap::new();
    for one in differences {
        let below = match one.below {
            None => json!(null),
            Some(LowerEntry::Absent) => json!("absent"),
            Some(LowerEntry::Content(digest)) => json!(digest),
            Some(LowerEntry::Unknown) => json!("unknown"),
        };
        let seen = json!([one.kind, one.base, one.now, one.executable, one.changed_below, below]);
        by_path.entry(one.path.clone()).or_default().push(seen);
    }
    let mark = |(path, seen): (MountPath, Vec<serde_json::Value>)| {
        let bytes = encode(&json!([path, seen])).expect("texts and flags have a canonical form");
        (path, Digest::of(&bytes))
    };
    by_path.into_iter().map(mark).collect()
}

/// Parses a path in an overlay as a person writes it: as an agent calls it there or below, or without the prefix.
pub(super) fn path_in(overlay: &OpenedOverlay, text: &str) -> Result<MountPath, Envelope> {
    let elsewhere = || {
        let message = format!("{text} is neither in {} nor in {}.", overlay.prefix, overlay.over);
        Envelope::new(Code::WorkspaceBadArgument, message)
            .with_suggestion(format!("Name a path in {}.", overlay.prefix))
    };
    if text.starts_with('/') {
        let path = parse(text)?;
        let inside = path.below(&overlay.prefix).or_else(|| path.below(&overlay.over));
        return inside.ok_or_else(elsewhere);
    }
    let plain = text.trim_end_matches('/');
    Ok(plain.parse().map_err(|problem| Error::path(text, problem))?)
}

fn no_change(
    overlay: &OpenedOverlay,
    path: &MountPath,
    differences: &[OverlayDifference],
) -> Envelope {
    let prefix = &overlay.prefix;
    // An entry of a deleted directory has no change of its own.
    let whole = differences.iter().find(|one| path.starts_with(&one.path));
    let (why, next) = if let Some(whole) = whole {
        let whole = prefix.join(&whole.path);
        (format!("; it changed with {whole}"), format!("Choose {whole}."))
    } else {
        let shown = shell_word(prefix.as_str());
        (String::new(), format!("See what it changes with `piton workspace diff {shown} --stat`."))
    };
    let message = format!("{prefix} changes nothing at {}{why}.", prefix.join(path));
    Envelope::new(Code::WorkspaceBadArgument, message).with_suggestion(next)
}

/// Returns the lines of a diff that fit into a reply, and the number of those that do not.
fn fitting_lines(text: &str) -> (String, usize) {
    let (mut kept, mut bytes, mut lines) = (String::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n');
        let line = shorten(bare.unwrap_or(line), OVERLAY_LINE_BYTES_MAX);
        // Measured as JSON, because a text of control characters takes six times its length there.
        bytes += serde_json::to_string(&*line).map_or(usize::MAX, |line| line.len());
        if lines == OVERLAY_FILE_LINES_MAX || bytes > OVERLAY_FILE_DIFF_BYTES_MAX {
            break;
        }
        kept.push_str(&line);
        kept.push_str(if bare.is_some() { "\n" } else { "" });
        lines += 1;
    }
    (kept, text.split_inclusive('\n').count() - lines)
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
    fn the_lines_of_a_diff_that_fit_are_kept_and_the_others_counted() {
        assert_eq!(fitting_lines("1\r\n2\n"), ("1\r\n2\n".to_owned(), 0));
        assert_eq!(fitting_lines("1\n2"), ("1\n2".to_owned(), 0));
        assert_eq!(fitting_lines(""), (String::new(), 0));
        let million = "+x\n".repeat(1_000_000);
        let (kept, left_out) = fitting_lines(&million);
        assert_eq!((kept.lines().count(), left_out), (5_000, 995_000));
        let long = format!("+{}\n", "\u{1}".repeat(3_999)).repeat(100);
        let (kept, left_out) = fitting_lines(&long);
        assert!(kept.lines().count() + left_out == 100 && left_out > 0);
        assert!(serde_json::to_string(&kept).unwrap().len() < 500 * 1024);
        let (kept, left_out) = fitting_lines(&format!("+{}\n", "y".repeat(1 << 22)));
        assert!(kept.len() < 5_000 && left_out == 0, "a long line is shortened");
    }

    #[test]
    fn what_is_no_text_is_counted_in_bytes() {
        let compared = compare("a.bin", Some(b"\xff\xfe"), Some(b"text"));
        assert_eq!((compared.added, compared.removed), (0, 0));
        assert!(compared.diff.ends_with("2 bytes before, 4 after\n"), "{}", compared.diff);
    }
}
