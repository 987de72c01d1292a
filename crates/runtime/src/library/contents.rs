//! Puts everything that was found in order: who wins, who is shadowed, what does not load.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::{WorkflowHash, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::bundled_workflows::Bundled;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::SourceProblem;

/// A workflow that can be run.
#[derive(Clone, Debug)]
pub struct LibraryWorkflow {
    /// The workflow.
    pub workflow: Arc<CompiledWorkflow>,
    /// Its hash.
    pub hash: WorkflowHash,
    /// Where its file was found.
    pub kind: SourceKind,
    /// The file; nothing if it came with Piton.
    pub path: Option<PathBuf>,
    /// The id in the file, if that has no namespace.
    pub legacy_id: Option<String>,
    /// Which of the workflows that come with Piton it is.
    pub bundled: Option<Bundled>,
    /// Its place among all that were found, weakest first.
    pub(super) order: usize,
}

/// A file whose steps workflows take in. It is no workflow by itself: it is neither listed nor started.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The file, which loads.
    pub routine: LibraryWorkflow,
    /// The workflows that take it in.
    pub used_by: Vec<WorkflowId>,
}

/// A workflow that another one with the same id takes the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    /// The id of both.
    pub id: WorkflowId,
    /// The file that does not count.
    pub path: PathBuf,
    /// The file that does.
    pub by: PathBuf,
}

/// A file or directory that does not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What.
    pub path: PathBuf,
    /// Where it was found.
    pub kind: SourceKind,
    /// Why.
    pub reason: BrokenReason,
}

/// Why a file or directory does not load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokenReason {
    /// It cannot be read.
    Unreadable(String),
    /// It does not compile.
    Problems(Arc<[SourceProblem]>),
}

/// Every workflow that was found, in order.
#[derive(Clone, Debug, Default)]
pub struct LibraryContents {
    /// The workflows that can be run.
    pub workflows: BTreeMap<WorkflowId, LibraryWorkflow>,
    /// The parts that workflows take in, in the order of sources and paths.
    pub routines: Vec<Routine>,
    /// Those that others take the place of, weakest first.
    pub shadowed: Vec<Shadowed>,
    /// What does not load, in the order of sources and paths.
    pub broken: Vec<Broken>,
}

impl LibraryContents {
    /// Every file that loads, routines too.
    pub fn files(&self) -> impl Iterator<Item = &LibraryWorkflow> {
        self.workflows.values().chain(self.routines.iter().map(|one| &one.routine))
    }

    /// Puts a workflow into the stock, in the place of one with the same id from a weaker source.
    pub(super) fn put(&mut self, mut found: LibraryWorkflow) {
        found.order = self.workflows.len() + self.shadowed.len();
        let id = found.workflow.workflow_id.clone();
        let by = found.path.clone();
        let before = self.workflows.insert(id.clone(), found);
        // A bundled workflow has no file, and the compiler lets nobody take its namespace.
        if let (Some(path), Some(by)) = (before.and_then(|before| before.path), by) {
            self.shadowed.push(Shadowed { id, path, by });
        }
    }
}
