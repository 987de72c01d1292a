//! Compiles workflow files and caches the results until the files change.
//!
//! *Invariants*: a file is compiled again when it was written; when its content differs; when the id assigned to an
//! older file has changed; or when it calls routines and the routines it sees have changed. A cached result is never
//! used for another source.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use piton_core::digest::FileBytes;
use piton_core::{Digest, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::compile::{CompiledWorkflow, compile};
use piton_workflow::source::{DeclaredId, RoutineId, SourceOrigin, SourceProblem};
use serde::Deserialize;

use super::contents::{LibraryContents, LibraryWorkflow, Routine, UnloadedFile};
use super::routines::{RoutineFile, Routines, routine_name};
use super::scan::{ScanError, SourceStamp, WorkflowSource, read, scan};
use crate::bounds::COMPILED_KEPT_MAX;

/// Text that occurs in every file that calls a routine.
const CALL: &str = "\"templateCall\"";

/// The result of compiling a file.
type FileOutcome = Result<Arc<CompiledWorkflow>, Arc<[SourceProblem]>>;

/// Every workflow that this process knows.
#[derive(Debug, Default)]
pub struct Library {
    bundled: OnceLock<Vec<LibraryWorkflow>>,
    kept: Mutex<HashMap<(SourceKind, PathBuf), CachedFile>>,
}

/// The cached state of a file.
#[derive(Clone, Debug)]
struct CachedFile {
    stamp: SourceStamp,
    digest: Digest,
    declared: Option<String>,
    /// The assigned id that it was compiled under, if its own has no namespace.
    given: Option<WorkflowId>,
    /// Names of the routines that it calls; `None` if it calls none.
    calls: Option<BTreeSet<String>>,
    /// Digest of the routines that it was compiled with, if it calls any.
    routines: Option<Digest>,
    outcome: Option<FileOutcome>,
}

/// A file that a scan found.
struct Candidate {
    kind: SourceKind,
    /// Index of its source among the sources.
    source: usize,
    directory: PathBuf,
    path: PathBuf,
    kept: CachedFile,
}

impl Library {
    /// Returns everything found in `sources`, including the workflows that ship with Piton.
    pub fn contents(&self, sources: &[WorkflowSource]) -> LibraryContents {
        let mut contents = LibraryContents::default();
        // Built-in workflows come first: later sources win, and the compiler keeps others out of their namespace.
        for found in self.bundled() {
            contents.put(found.clone());
        }
        // All files are read before any is compiled: ids and routines depend on the whole set.
        let candidates = self.candidates(sources, &mut contents.broken);
        // Declared ids are reserved before any id is assigned, so an assigned id never collides with one found later.
        let mut taken = namespaced(&candidates);
        let mut routines =
            Routines::new(candidates.iter().filter_map(Candidate::routine).collect());
        let mut callers: BTreeMap<PathBuf, Vec<WorkflowId>> = BTreeMap::new();
        for mut candidate in candidates {
            // Ids are assigned in the order of sources and paths, so the same files always get the same ids.
            let given = candidate.give_id(&mut taken);
            match self.outcome(&mut candidate, given, &taken, &mut routines) {
                // A routine is compiled too, so that its problems are found even if nothing calls it.
                Ok(Ok(workflow)) if candidate.routine().is_some() => {
                    let routine = candidate.into_workflow(workflow);
                    contents.routines.push(Routine { routine, used_by: Vec::new() });
                }
                Ok(Ok(workflow)) => {
                    let called = candidate.kept.calls.iter().flatten();
                    for path in called.filter_map(|name| routines.path(candidate.source, name)) {
                        callers.entry(path).or_default().push(workflow.workflow_id.clone());
                    }
                    contents.put(candidate.into_workflow(workflow));
                }
                Ok(Err(found)) => {
                    let Candidate { path, kind, .. } = &candidate;
                    contents.broken.push(UnloadedFile::flawed(path, *kind, &found));
                }
                Err(reason) => {
                    let Candidate { path, kind, .. } = &candidate;
                    contents.broken.push(UnloadedFile::unreadable(path, *kind, reason));
                }
            }
        }
        // Callers are known only after every file has been compiled.
        for Routine { routine, used_by } in &mut contents.routines {
            let callers = routine.path.as_ref().and_then(|path| callers.remove(path));
            *used_by = callers.unwrap_or_default();
        }
        contents
    }

    fn bundled(&self) -> &[LibraryWorkflow] {
        self.bundled.get_or_init(|| {
            let workflow = |bundled: &BuiltinWorkflow| {
                let workflow = Arc::new(bundled.compiled());
                let (hash, kind) = (workflow.workflow_hash(), SourceKind::Bundled);
                let (path, legacy_id, bundled) = (None, None, Some(*bundled));
                LibraryWorkflow { workflow, hash, kind, path, legacy_id, bundled, order: 0 }
            };
            BuiltinWorkflow::ALL.iter().map(workflow).collect()
        })
    }

    /// Returns the files of all sources, each with its cached state or the state just read.
    fn candidates(
        &self,
        sources: &[WorkflowSource],
        broken: &mut Vec<UnloadedFile>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (source, WorkflowSource { kind, directory, is_named }) in sources.iter().enumerate() {
            let scanned = scan(directory);
            for (path, trouble) in scanned.troubles {
                // A default directory need not exist. A directory that the configuration names must.
                let is_absent = matches!(&trouble, ScanError::Io(error)
                    if error.kind() == std::io::ErrorKind::NotFound);
                if is_absent && path == *directory && !is_named {
                    continue;
                }
                broken.push(UnloadedFile::unreadable(&path, *kind, trouble.to_string()));
            }
            for (path, stamp) in scanned.files {
                let kept = stamp.and_then(|stamp| self.known(*kind, &path, stamp));
                match kept {
                    Ok(kept) => {
                        let directory = directory.clone();
                        candidates.push(Candidate { kind: *kind, source, directory, path, kept });
                    }
                    Err(error) => {
                        broken.push(UnloadedFile::unreadable(&path, *kind, error.to_string()));
                    }
                }
            }
        }
        candidates
    }

    /// Returns the cached state of a file if it is still valid, or else the state read from the file.
    fn known(
        &self,
        kind: SourceKind,
        path: &Path,
        stamp: SourceStamp,
    ) -> std::io::Result<CachedFile> {
        // The lock is released at once. Files are read and compiled without it, at worst twice.
        let kept = self.lock().get(&(kind, path.to_path_buf())).cloned();
        // The stamp covers inode, size, mtime and ctime. If it matches, the file is not even opened.
        if let Some(kept) = &kept
            && kept.stamp == stamp
        {
            return Ok(kept.clone());
        }
        let text = read(path)?;
        let digest = Digest::of(&FileBytes(text.as_bytes()));
        // The file was touched but not changed: only the stamp is new.
        if let Some(kept) = kept
            && kept.digest == digest
        {
            return Ok(CachedFile { stamp, ..kept });
        }
        let (declared, calls) = (declared(&text), routines_called(&text));
        let (given, routines, outcome) = (None, None, None);
        Ok(CachedFile { stamp, digest, declared, given, calls, routines, outcome })
    }

    /// Returns the result of compiling a file. `given` is the id assigned to it if its own has no namespace.
    fn outcome(
        &self,
        candidate: &mut Candidate,
        given: Option<WorkflowId>,
        taken: &BTreeSet<WorkflowId>,
        routines: &mut Routines,
    ) -> Result<FileOutcome, String> {
        // Only files that call routines depend on them. The others stay cached when a routine changes.
        let seen = candidate.kept.calls.as_ref().map(|_| routines.digest(candidate.source));
        if let Some(outcome) = &candidate.kept.outcome
            && candidate.kept.given == given
            && candidate.kept.routines == seen
        {
            self.keep(candidate);
            return Ok(outcome.clone());
        }
        let text = read(&candidate.path).map_err(|error| error.to_string())?;
        let mut origin = candidate.origin();
        // The file's own assigned id is already in `taken` and must not count as a collision with itself.
        origin.taken = taken.iter().filter(|id| Some(*id) != given.as_ref()).cloned().collect();
        let catalog = routines.catalog(candidate.source);
        let outcome = compile(&text, &origin, catalog).map(Arc::new).map_err(Arc::from);
        // The file may have changed since `known` read it, so digest and calls are taken from the text that was
        // compiled.
        candidate.kept.digest = Digest::of(&FileBytes(text.as_bytes()));
        candidate.kept.given = given;
        candidate.kept.calls = routines_called(&text);
        candidate.kept.routines = seen;
        candidate.kept.outcome = Some(outcome.clone());
        self.keep(candidate);
        Ok(outcome)
    }

    fn keep(&self, candidate: &Candidate) {
        let mut kept = self.lock();
        // Clearing everything is crude but bounded: it costs one compilation of each file still in use.
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
    /// Returns the routine that the file defines, if it is one.
    fn routine(&self) -> Option<RoutineFile> {
        let declared = self.kept.declared.as_deref()?;
        RoutineFile::of(declared, self.source, &self.path, self.kept.digest)
    }

    fn origin(&self) -> SourceOrigin {
        SourceOrigin::new(self.kind, self.directory.display().to_string())
    }

    /// Returns the id assigned to an older file, one that no other file has, and marks it as taken.
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
        // Only a file with an assigned id has a legacy one.
        let legacy_id = self.kept.given.and(self.kept.declared);
        let hash = workflow.workflow_hash();
        let (kind, path) = (self.kind, Some(self.path));
        LibraryWorkflow { workflow, hash, kind, path, legacy_id, bundled: None, order: 0 }
    }
}

/// Returns the names of the routines that a file calls, as [`Routines`] has them; `None` if it calls none.
fn routines_called(text: &str) -> Option<BTreeSet<String>> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    let name = |rest: &str| {
        let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        routine_name(&format!("{}{}", RoutineId::PREFIX, &rest[..end]))
    };
    // A scan of the text is enough: the names only serve to find the users of a routine.
    text.contains(CALL).then(|| text.split(RoutineId::PREFIX).skip(1).map(name).collect())
}

/// Returns the namespaced ids that files declare. They are never assigned to an older file.
fn namespaced(candidates: &[Candidate]) -> BTreeSet<WorkflowId> {
    let declared = candidates.iter().filter_map(|candidate| candidate.kept.declared.as_deref());
    declared.filter_map(|text| text.parse().ok()).collect()
}

/// Returns the id that a file declares, as far as the file can be parsed.
pub(super) fn declared(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct CachedHead {
        id: String,
    }
    serde_json::from_str(text).ok().map(|head: CachedHead| head.id)
}
