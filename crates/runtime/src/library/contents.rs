//! Orders everything that was found: which file wins, which is shadowed, and which does not load.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::{WorkflowHash, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::SourceProblem;

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

/// A workflow that is replaced by another one with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    /// The id of both.
    pub id: WorkflowId,
    /// The file that is replaced.
    pub path: PathBuf,
    /// The file that wins.
    pub by: PathBuf,
}

/// A file or directory that does not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    pub path: PathBuf,
    /// The kind of source that it was found in.
    pub kind: SourceKind,
    pub reason: BrokenReason,
}

/// Reasons that a file or directory does not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokenReason {
    Unreadable(String),
    /// It does not compile.
    Problems(Arc<[SourceProblem]>),
}

/// Every workflow that was found, in order.
#[derive(Clone, Debug, Default)]
pub struct LibraryContents {
    /// Workflows that can be run.
    pub workflows: BTreeMap<WorkflowId, LibraryWorkflow>,
    /// Routines, in the order of sources and paths.
    pub routines: Vec<Routine>,
    /// Replaced workflows, weakest first.
    pub shadowed: Vec<Shadowed>,
    /// Files and directories that do not load, in the order of sources and paths.
    pub broken: Vec<Broken>,
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
            self.shadowed.push(Shadowed { id, path, by });
        }
    }
}
