//! Orders everything that was found: which file wins, which is shadowed, and which does not load.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::{WorkflowHash, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::SourceProblem;
use schemars::JsonSchema;
use serde::Serialize;

/// A workflow that can be run.
#[derive(Clone, Debug)]
pub struct LibraryWorkflow {
    pub workflow: Arc<CompiledWorkflow>,
    pub hash: WorkflowHash,
    /// The kind of source that the file was found in.
    pub kind: SourceKind,
    /// The file; `None` if the workflow ships with Piton.
    pub path: Option<PathBuf>,
    /// The id in the file, if that has no namespace.
    pub legacy_id: Option<String>,
    /// The bundled workflow that it is, if it ships with Piton.
    pub bundled: Option<BuiltinWorkflow>,
    /// Position among everything that was found, weakest first.
    pub(super) order: usize,
}

/// A file whose steps workflows include. It is not a workflow itself: it is neither listed nor started.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The file, which loads.
    pub routine: LibraryWorkflow,
    /// The workflows that include it.
    pub used_by: Vec<WorkflowId>,
}

/// A file or directory that does not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnloadedFile {
    /// What.
    pub path: String,
    /// Where it was found.
    pub source_kind: SourceKind,
    /// Everything that is wrong with it.
    pub problems: Vec<FileProblem>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FileProblem {
    /// Something in it.
    Inside(SourceProblem),
    /// It cannot be read at all.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// A workflow file that is replaced by another one with the same id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShadowedFile {
    /// The id of both.
    pub workflow_id: WorkflowId,
    /// The file that does not count.
    pub path: String,
    /// The file that does.
    pub by: String,
}

impl UnloadedFile {
    /// Creates the entry of a file or directory that cannot be read.
    pub(super) fn unreadable(path: &Path, source_kind: SourceKind, reason: String) -> Self {
        Self::new(path, source_kind, vec![FileProblem::Unreadable { reason }])
    }

    /// Creates the entry of a file that does not compile.
    pub(super) fn flawed(path: &Path, source_kind: SourceKind, found: &[SourceProblem]) -> Self {
        Self::new(path, source_kind, found.iter().cloned().map(FileProblem::Inside).collect())
    }

    fn new(path: &Path, source_kind: SourceKind, problems: Vec<FileProblem>) -> Self {
        Self { path: path.display().to_string(), source_kind, problems }
    }

    /// Renders the problems as text that ends in a line break.
    pub fn text(&self) -> String {
        let problems = self.problems.iter().map(|problem| match problem {
            FileProblem::Inside(problem) => format!("  {problem}\n"),
            FileProblem::Unreadable { reason } => format!("  {reason}\n"),
        });
        format!("{} does not load:\n{}", self.path, problems.collect::<Vec<_>>().concat())
    }
}

/// Every workflow that was found, in order.
#[derive(Clone, Debug, Default)]
pub struct LibraryContents {
    /// Workflows that can be run.
    pub workflows: BTreeMap<WorkflowId, LibraryWorkflow>,
    /// Routines, in the order of sources and paths.
    pub routines: Vec<Routine>,
    /// Replaced workflows, weakest first.
    pub shadowed: Vec<ShadowedFile>,
    /// Files and directories that do not load, in the order of sources and paths.
    pub broken: Vec<UnloadedFile>,
}

impl LibraryContents {
    /// Returns every file that loads, routines included.
    pub fn files(&self) -> impl Iterator<Item = &LibraryWorkflow> {
        self.workflows.values().chain(self.routines.iter().map(|one| &one.routine))
    }

    /// Adds a workflow. It replaces one with the same id from a weaker source.
    pub(super) fn put(&mut self, mut found: LibraryWorkflow) {
        // Every earlier file is in one of the two, so their number orders the files.
        found.order = self.workflows.len() + self.shadowed.len();
        let id = found.workflow.workflow_id.clone();
        let by = found.path.clone();
        let before = self.workflows.insert(id.clone(), found);
        // A bundled workflow has no file, and the compiler keeps every other file out of its namespace.
        if let (Some(path), Some(by)) = (before.and_then(|before| before.path), by) {
            let (path, by) = (path.display().to_string(), by.display().to_string());
            self.shadowed.push(ShadowedFile { workflow_id: id, path, by });
        }
    }
}
