//! The id that a workflow file declares: with a namespace, or an older one without.
//!
//! *Invariants*: a suggestion depends only on the file's source and on the ids that are taken. The namespace
//! `wr` belongs to the workflows that come with Piton, whatever the order of sources.

use std::collections::BTreeSet;

use piton_core::canonical::encode;
use piton_core::{Digest, WorkflowId};
use serde::Serialize;

use super::problem::{Pointer, ProblemCode, Problems, SourceProblem};
use super::read::ObjectReader;
use crate::bounds::LEGACY_ID_BYTES_MAX;
use crate::run::SourceKind;

/// The namespace of the workflows that come with Piton.
const RESERVED: &str = "wr";

piton_core::closed_set! {
    /// Whether the id of a workflow has a namespace.
    pub enum IdStatus {
        /// It has.
        Namespaced => "namespaced",
        /// It has not.
        Legacy => "legacy",
    }
}

piton_core::closed_set! {
    /// What a workflow file is read for.
    pub enum Purpose {
        /// To be run: an older id is accepted with a warning.
        Load => "load",
        /// To be saved: a new workflow needs a namespace.
        Save => "save",
    }
}

/// The origin of a workflow file.
#[derive(Clone, Debug)]
pub struct SourceOrigin {
    pub kind: SourceKind,
    /// The place, as its kind names it: a directory, an address.
    pub reference: String,
    /// Set when a shared source was configured as the team's own.
    pub team: bool,
    /// The ids that a suggestion must avoid.
    pub taken: BTreeSet<WorkflowId>,
    pub purpose: Purpose,
}

/// The id of a workflow file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredId {
    Namespaced(WorkflowId),
    /// An older id without a namespace.
    Legacy {
        /// The id in the file.
        declared: String,
        /// The id that the workflow is known by, and that its author should write.
        suggested: WorkflowId,
    },
}

impl DeclaredId {
    /// Returns the id that the workflow is known by.
    pub const fn workflow_id(&self) -> &WorkflowId {
        match self {
            Self::Namespaced(id) | Self::Legacy { suggested: id, .. } => id,
        }
    }

    /// Returns the status: with a namespace or without.
    pub const fn status(&self) -> IdStatus {
        match self {
            Self::Namespaced(_) => IdStatus::Namespaced,
            Self::Legacy { .. } => IdStatus::Legacy,
        }
    }

    /// Reads the id that a file from `origin` declares in its field `id`.
    pub(crate) fn of(file: &mut ObjectReader<'_, '_>, origin: &SourceOrigin) -> Option<Self> {
        let text = file.required_text("id")?;
        Self::read(text, origin, &file.at("id"), file.problems)
    }

    /// Parses the id that a file from `origin` declares as `text`, for callers that list workflows without
    /// compiling them.
    pub fn parse(text: &str, origin: &SourceOrigin) -> Result<Self, Vec<SourceProblem>> {
        let mut problems = Problems::default();
        match Self::read(text, origin, &Pointer::root().field("id"), &mut problems) {
            Some(id) if problems.is_empty() => Ok(id),
            _ => Err(problems.into_sorted()),
        }
    }

    /// Reads the id inside a file, at `at`.
    pub(crate) fn read(
        text: &str,
        origin: &SourceOrigin,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Self> {
        // An older id may have any characters; the suggestion is normalized.
        if !text.contains('.') && !text.trim().is_empty() && text.len() <= LEGACY_ID_BYTES_MAX {
            let suggested = origin.suggest(text);
            if origin.purpose == Purpose::Save {
                let reason = format!("`{text}` has no namespace, which a new workflow needs");
                let fix = format!("write `{suggested}`");
                problems.report(at, ProblemCode::LegacyId, reason, fix);
            }
            return Some(Self::Legacy { declared: text.to_owned(), suggested });
        }
        let id: WorkflowId = match text.parse() {
            Ok(id) => id,
            Err(error) => {
                let name = text.rsplit('.').find(|part| !part.is_empty()).unwrap_or("workflow");
                let end = name.floor_char_boundary(LEGACY_ID_BYTES_MAX);
                let fix = format!("write `{}`", origin.suggest(&name[..end]));
                problems.report(at, ProblemCode::InvalidId, error.to_string(), fix);
                return None;
            }
        };
        // The id is still returned: the problem alone keeps the file out, and the rest of it can be checked.
        if id.namespace() == RESERVED && origin.kind != SourceKind::Bundled {
            let reason = "the namespace `wr` is reserved for the workflows that come with Piton";
            let fix = format!("write `{}`", origin.suggest(id.name()));
            problems.report(at, ProblemCode::ReservedNamespace, reason, fix);
        }
        Some(Self::Namespaced(id))
    }
}

impl SourceOrigin {
    /// Creates a source without any ids next to it.
    pub fn new(kind: SourceKind, reference: impl Into<String>) -> Self {
        let reference = reference.into();
        Self { kind, reference, team: false, taken: BTreeSet::new(), purpose: Purpose::Load }
    }

    /// Returns the id for a workflow of this source that its author called `legacy`.
    pub fn suggest(&self, legacy: &str) -> WorkflowId {
        let end = legacy.floor_char_boundary(LEGACY_ID_BYTES_MAX);
        let plain = format!("{}.{}", self.namespace(), normalized(&legacy[..end]));
        // The mark depends on the source, so two sources with the same name get different ids in any order of
        // loading.
        let marked = format!("{plain}_{}", self.mark());
        // The candidates are tried in this order until one is free.
        let counted = (2..).map(|count: u32| format!("{marked}_{count}"));
        [plain, marked.clone()]
            .into_iter()
            .chain(counted)
            .map(|text| {
                text.parse().expect("a normalized name fits the form and the length of an id")
            })
            .find(|id| !self.taken.contains(id))
            .expect("finitely many ids are taken")
    }

    const fn namespace(&self) -> &'static str {
        match self.kind {
            SourceKind::Bundled => RESERVED,
            SourceKind::User => "user",
            SourceKind::Project => "project",
            SourceKind::Remote | SourceKind::Plugin if self.team => "team",
            SourceKind::Remote | SourceKind::Plugin => "repo",
        }
    }

    /// Returns four hex digits that identify the source.
    fn mark(&self) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Source<'a> {
            source_kind: SourceKind,
            source_ref: &'a str,
        }
        let source = Source { source_kind: self.kind, source_ref: &self.reference };
        let bytes = encode(&source).expect("two texts have a canonical form");
        Digest::of(&bytes).hex()[..4].to_owned()
    }
}

/// Returns a name in lowercase, with `_` for every character that an id must not contain and a letter first.
fn normalized(legacy: &str) -> String {
    let keep = |character: char| match character.to_ascii_lowercase() {
        kept @ ('a'..='z' | '0'..='9' | '_') => kept,
        _ => '_',
    };
    let name: String = legacy.chars().map(keep).collect();
    if name.starts_with(|first: char| first.is_ascii_lowercase()) {
        name
    } else {
        format!("w_{name}")
    }
}
