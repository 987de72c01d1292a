//! Compiles files, and keeps what was compiled until they change.
//!
//! *Invariants*: a file is compiled again when it was written, when its content differs, when the id that an older file
//! goes by is another one now, or when it calls routines and those that it sees differ; what is kept never answers for another source.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use piton_core::digest::FileBytes;
use piton_core::{Digest, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::bundled_workflows::Bundled;
use piton_workflow::compile::{CompiledWorkflow, compile};
use piton_workflow::source::{DeclaredId, RoutineId, SourceOrigin, SourceProblem};
use serde::Deserialize;

use super::contents::{Broken, BrokenReason, LibraryContents, LibraryWorkflow, Routine};
use super::routines::{RoutineFile, Routines, routine_name};
use super::scan::{ScanError, SourceStamp, read, scan};
use super::source::WorkflowSource;
use crate::bounds::{COMPILED_KEPT_MAX, SOURCE_DEPTH_MAX, SOURCE_ENTRIES_MAX, SOURCE_FILES_MAX};

/// What stands in every file that calls a routine.
const CALL: &str = "\"templateCall\"";

/// What became of a file.
type FileOutcome = Result<Arc<CompiledWorkflow>, Arc<[SourceProblem]>>;

/// Every workflow there is, as far as this process knows.
#[derive(Debug)]
pub struct Library {
    bundled: OnceLock<Vec<LibraryWorkflow>>,
    kept: Mutex<HashMap<(SourceKind, PathBuf), CachedFile>>,
}

/// What is kept of a file.
#[derive(Clone, Debug)]
struct CachedFile {
    stamp: SourceStamp,
    digest: Digest,
    declared: Option<String>,
    /// The id that it was compiled under, if its own has no namespace.
    given: Option<WorkflowId>,
    /// The names of the routines that it calls; nothing if it calls none.
    calls: Option<BTreeSet<String>>,
    /// The routines that it was compiled with, if it calls some.
    routines: Option<Digest>,
    outcome: Option<FileOutcome>,
}

/// A file that was found.
struct Candidate {
    kind: SourceKind,
    /// The place of its source among the sources.
    source: usize,
    directory: PathBuf,
    path: PathBuf,
    kept: CachedFile,
}

impl Default for Library {
    fn default() -> Self {
        let (bundled, kept) = (OnceLock::new(), Mutex::default());
        Self { bundled, kept }
    }
}

impl Library {
    /// Everything that is found in `sources`, the workflows that come with Piton included.
    pub fn contents(&self, sources: &[WorkflowSource]) -> LibraryContents {
        let mut stock = LibraryContents::default();
        for found in self.bundled() {
            stock.put(found.clone());
        }
        let candidates = self.candidates(sources, &mut stock.broken);
        let mut taken = namespaced(&candidates);
        let mut routines =
            Routines::new(candidates.iter().filter_map(Candidate::routine).collect());
        let mut callers: BTreeMap<PathBuf, Vec<WorkflowId>> = BTreeMap::new();
        for mut candidate in candidates {
            let given = candidate.give_id(&mut taken);
            match self.outcome(&mut candidate, given, &taken, &mut routines) {
                Ok(Ok(workflow)) if candidate.routine().is_some() => {
                    let routine = candidate.into_workflow(workflow);
                    stock.routines.push(Routine { routine, used_by: Vec::new() });
                }
                Ok(Ok(workflow)) => {
                    let called = candidate.kept.calls.iter().flatten();
                    for path in called.filter_map(|name| routines.path(candidate.source, name)) {
                        callers.entry(path).or_default().push(workflow.workflow_id.clone());
                    }
                    stock.put(candidate.into_workflow(workflow));
                }
                Ok(Err(problems)) => {
                    stock.broken.push(candidate.broken(BrokenReason::Problems(problems)));
                }
                Err(told) => stock.broken.push(candidate.broken(BrokenReason::Unreadable(told))),
            }
        }
        for Routine { routine, used_by } in &mut stock.routines {
            let callers = routine.path.as_ref().and_then(|path| callers.remove(path));
            *used_by = callers.unwrap_or_default();
        }
        stock
    }

    fn bundled(&self) -> &[LibraryWorkflow] {
        self.bundled.get_or_init(|| {
            let stocked = |bundled: &Bundled| {
                let workflow = Arc::new(bundled.compiled());
                let hash = workflow.workflow_hash();
                let (kind, bundled) = (SourceKind::Bundled, Some(*bundled));
                LibraryWorkflow {
                    workflow,
                    hash,
                    kind,
                    path: None,
                    legacy_id: None,
                    bundled,
                    order: 0,
                }
            };
            Bundled::ALL.iter().map(stocked).collect()
        })
    }

    /// The files of all sources, each with what is kept of it or what it says now.
    fn candidates(&self, sources: &[WorkflowSource], broken: &mut Vec<Broken>) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (source, WorkflowSource { kind, directory, is_named }) in sources.iter().enumerate() {
            let scanned = scan(directory);
            for (path, trouble) in scanned.troubles {
                let is_absent = matches!(&trouble, ScanError::Io(error)
                    if error.kind() == std::io::ErrorKind::NotFound);
                if is_absent && path == *directory && !is_named {
                    continue;
                }
                let reason = BrokenReason::Unreadable(scan_failed(&trouble));
                broken.push(Broken { path, kind: *kind, reason });
            }
            for (path, stamp) in scanned.files {
                let kept = stamp.and_then(|stamp| self.known(*kind, &path, stamp));
                match kept {
                    Ok(kept) => {
                        let directory = directory.clone();
                        candidates.push(Candidate { kind: *kind, source, directory, path, kept });
                    }
                    Err(error) => {
                        let reason = BrokenReason::Unreadable(error.to_string());
                        broken.push(Broken { path, kind: *kind, reason });
                    }
                }
            }
        }
        candidates
    }

    /// What is kept of a file if it still stands, else what the file says.
    fn known(
        &self,
        kind: SourceKind,
        path: &Path,
        stamp: SourceStamp,
    ) -> std::io::Result<CachedFile> {
        let kept = self.lock().get(&(kind, path.to_path_buf())).cloned();
        if let Some(kept) = &kept
            && kept.stamp == stamp
        {
            return Ok(kept.clone());
        }
        let text = read(path)?;
        let digest = Digest::of(&FileBytes(text.as_bytes()));
        if let Some(kept) = kept
            && kept.digest == digest
        {
            return Ok(CachedFile { stamp, ..kept });
        }
        let (declared, calls) = (declared(&text), routines_called(&text));
        let (given, routines, outcome) = (None, None, None);
        Ok(CachedFile { stamp, digest, declared, given, calls, routines, outcome })
    }

    /// What becomes of a file when its id, should it have no namespace, is `given`.
    fn outcome(
        &self,
        candidate: &mut Candidate,
        given: Option<WorkflowId>,
        taken: &BTreeSet<WorkflowId>,
        routines: &mut Routines,
    ) -> Result<FileOutcome, String> {
        let seen = candidate.kept.calls.as_ref().map(|_| routines.digest(candidate.source));
        if let Some(outcome) = &candidate.kept.outcome
            && candidate.kept.given == given
            && candidate.kept.routines == seen
        {
            self.keep(candidate);
            return Ok(outcome_of(outcome));
        }
        let text = read(&candidate.path).map_err(|error| error.to_string())?;
        let mut origin = candidate.origin();
        origin.taken = taken.iter().filter(|id| Some(*id) != given.as_ref()).cloned().collect();
        let catalog = routines.catalog(candidate.source);
        let outcome = compile(&text, &origin, catalog).map(Arc::new).map_err(Arc::from);
        candidate.kept.digest = Digest::of(&FileBytes(text.as_bytes()));
        candidate.kept.given = given;
        candidate.kept.calls = routines_called(&text);
        candidate.kept.routines = seen;
        candidate.kept.outcome = Some(outcome_of(&outcome));
        self.keep(candidate);
        Ok(outcome)
    }

    fn keep(&self, candidate: &Candidate) {
        let mut kept = self.lock();
        if kept.len() >= COMPILED_KEPT_MAX {
            kept.clear();
        }
        kept.insert((candidate.kind, candidate.path.clone()), candidate.kept.clone());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(SourceKind, PathBuf), CachedFile>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Candidate {
    /// The routine that it is, if it is one.
    fn routine(&self) -> Option<RoutineFile> {
        let declared = self.kept.declared.as_deref()?;
        RoutineFile::of(declared, self.source, &self.path, self.kept.digest)
    }

    fn origin(&self) -> SourceOrigin {
        SourceOrigin::new(self.kind, self.directory.display().to_string())
    }

    /// The id of an older file: one that no other file has. It is taken from then on.
    fn give_id(&self, taken: &mut BTreeSet<WorkflowId>) -> Option<WorkflowId> {
        let declared = self.kept.declared.as_deref()?;
        let origin = SourceOrigin { taken: taken.clone(), ..self.origin() };
        match DeclaredId::parse(declared, &origin) {
            Ok(DeclaredId::Legacy { suggested, .. }) => {
                taken.insert(suggested.clone());
                Some(suggested)
            }
            _ => None,
        }
    }

    fn into_workflow(self, workflow: Arc<CompiledWorkflow>) -> LibraryWorkflow {
        let legacy_id = self.kept.given.and(self.kept.declared);
        let hash = workflow.workflow_hash();
        let (kind, path) = (self.kind, Some(self.path));
        LibraryWorkflow { workflow, hash, kind, path, legacy_id, bundled: None, order: 0 }
    }

    fn broken(self, reason: BrokenReason) -> Broken {
        Broken { path: self.path, kind: self.kind, reason }
    }
}

fn outcome_of(outcome: &FileOutcome) -> FileOutcome {
    match outcome {
        Ok(workflow) => Ok(Arc::clone(workflow)),
        Err(problems) => Err(Arc::clone(problems)),
    }
}

/// The names of the routines that a file calls, as [`Routines`] has them; nothing if it calls none.
fn routines_called(text: &str) -> Option<BTreeSet<String>> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let name = |rest: &str| {
        let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        routine_name(&format!("{}{}", RoutineId::PREFIX, &rest[..end]))
    };
    text.contains(CALL).then(|| text.split(RoutineId::PREFIX).skip(1).map(name).collect())
}

/// The ids with a namespace that files declare. No older file is given one of them.
fn namespaced(candidates: &[Candidate]) -> BTreeSet<WorkflowId> {
    let declared = candidates.iter().filter_map(|candidate| candidate.kept.declared.as_deref());
    declared.filter_map(|text| text.parse().ok()).collect()
}

/// The id that a file declares, as far as it can be read.
pub(super) fn declared(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct CachedHead {
        id: String,
    }
    serde_json::from_str(text).ok().map(|head: CachedHead| head.id)
}

pub(super) fn scan_failed(trouble: &ScanError) -> String {
    match trouble {
        ScanError::Io(error) => error.to_string(),
        ScanError::TooManyFiles => {
            format!(
                "it holds more than {SOURCE_FILES_MAX} workflow files; those behind are not read"
            )
        }
        ScanError::TooManyEntries => {
            format!(
                "more than {SOURCE_ENTRIES_MAX} files and directories are in the way; name a smaller directory"
            )
        }
        ScanError::TooDeep { others } => {
            let as_others = match others {
                0 => String::new(),
                1 => ", as one other directory is".to_owned(),
                _ => format!(", as {others} other directories are"),
            };
            format!(
                "it is not searched, because it lies more than {SOURCE_DEPTH_MAX} directories deep{as_others}; \
                 move the workflows in it up, or name it in `workflows.dirs` of your configuration"
            )
        }
    }
}
