//! Routines: workflow files whose steps other workflows include, collected from every source.
//!
//! A workflow sees the routines of its own source first, then those of the other sources, where later ones win. So a
//! project does not replace a routine of the user's workflows.
//!
//! *Invariants*: the digest of the routines that a source sees changes whenever one of them does.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use piton_core::digest::FileBytes;
use piton_core::{Digest, DigestBuilder};
use piton_workflow::SourceKind;
use piton_workflow::compile::{CompiledWorkflow, Definitions, compile};
use piton_workflow::source::{Purpose, RoutineId, SourceOrigin, SourceProblem};

use super::scan::{WorkflowSource, read, scan};

/// The directory whose files are routines, whatever their ids.
const ROUTINES_DIRECTORY: &str = "routines";

/// A file that defines a routine.
#[derive(Clone, Debug)]
pub(super) struct RoutineFile {
    id: RoutineId,
    /// Index of its source among the sources.
    source: usize,
    path: PathBuf,
    digest: Digest,
}

impl RoutineFile {
    /// Returns the routine that a file with this id defines, if it is one.
    pub(super) fn of(declared: &str, source: usize, path: &Path, digest: Digest) -> Option<Self> {
        let id = RoutineId::of_file(declared, is_routine_directory(path))?;
        Some(Self { id, source, path: path.to_owned(), digest })
    }
}

/// Returns the name that a routine is found by. It treats `-` and `_` as the same.
pub(super) fn routine_name(id: &str) -> String {
    id.replace('-', "_")
}

/// True if a file lies in a directory of routines.
pub(super) fn is_routine_directory(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name);
    directory.is_some_and(|name| name == ROUTINES_DIRECTORY)
}

/// The routines of every source.
#[derive(Debug, Default)]
pub(super) struct Routines {
    /// In the order of sources and paths.
    files: Vec<RoutineFile>,
    catalogs: HashMap<usize, Definitions>,
}

impl Routines {
    pub(super) fn new(files: Vec<RoutineFile>) -> Self {
        Self { files, catalogs: HashMap::new() }
    }

    /// Returns the routines that a source sees, by name.
    fn seen_by(&self, source: usize) -> BTreeMap<String, &RoutineFile> {
        // Later entries overwrite earlier ones in the map, so the source's own routines come last.
        let others = self.files.iter().filter(|file| file.source != source);
        let own = self.files.iter().filter(|file| file.source == source);
        others.chain(own).map(|file| (routine_name(file.id.as_str()), file)).collect()
    }

    /// Returns the file of the routine that a source sees under a name.
    pub(super) fn path(&self, source: usize, name: &str) -> Option<PathBuf> {
        self.seen_by(source).get(name).map(|file| file.path.clone())
    }

    /// Returns a digest of the routines that a source sees.
    pub(super) fn digest(&self, source: usize) -> Digest {
        let mut digest = DigestBuilder::new();
        for (name, file) in self.seen_by(source) {
            // The zero byte separates the name from the digest; no name contains one.
            digest.update(name.as_bytes());
            digest.update(&[0]);
            digest.update(file.digest.as_bytes());
        }
        digest.finish()
    }

    /// Returns the standard catalogue with the routines that a source sees.
    pub(super) fn catalog(&mut self, source: usize) -> &Definitions {
        // Built once per source and call: most files of a source share it.
        if !self.catalogs.contains_key(&source) {
            let mut catalog = Definitions::standard();
            for file in self.seen_by(source).into_values() {
                // An unreadable routine is reported as a file that does not load, and a call of it as a call of
                // nothing.
                catalog.routines.extend(read(&file.path).ok().map(|text| (file.id.clone(), text)));
            }
            self.catalogs.insert(source, catalog);
        }
        &self.catalogs[&source]
    }
}

/// Compiles a file in `directory` together with its neighbours, since workflows may refer to each other.
pub fn compile_beside(
    text: &str,
    kind: SourceKind,
    directory: &Path,
    purpose: Purpose,
    sources: &[WorkflowSource],
) -> Result<CompiledWorkflow, Vec<SourceProblem>> {
    let mut origin = SourceOrigin::new(kind, directory.display().to_string());
    origin.purpose = purpose;
    // The parent of a bare file name is empty, which stands for the working directory.
    let beside = if directory == Path::new("") { Path::new(".") } else { directory };
    compile(text, &origin, &catalog_beside(beside, sources))
}

/// Returns the catalogue for a file in `directory` that belongs to no source: the routines beside and below it, then
/// those of the sources.
pub(super) fn catalog_beside(directory: &Path, sources: &[WorkflowSource]) -> Definitions {
    let own =
        WorkflowSource { kind: SourceKind::User, directory: directory.to_owned(), is_named: false };
    let mut files = Vec::new();
    for (place, source) in sources.iter().chain([&own]).enumerate() {
        for (path, _) in scan(&source.directory).files {
            let Ok(text) = read(&path) else { continue };
            let digest = Digest::of(&FileBytes(text.as_bytes()));
            let declared = super::compiled::declared(&text);
            files.extend(declared.and_then(|id| RoutineFile::of(&id, place, &path, digest)));
        }
    }
    // The directory itself was added after the sources, so its index is their number.
    let mut routines = Routines::new(files);
    routines.catalog(sources.len()).clone()
}
