//! The workflow files of one place, as an editor needs them: found, read, checked and compiled.
//!
//! *Invariants*: only what the library found is read. A path that somebody sends is compared with those that the
//! library knows, and never opened by itself.

use std::path::{Path, PathBuf};

use piton_core::canonical::encode;
use piton_core::digest::FileBytes;
use piton_core::{Code, Digest, Envelope};
use piton_workflow::builtin_workflows::BuiltinWorkflow;
use piton_workflow::catalogue::catalogue;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::{
    Dialect, Purpose, RoutineId, SourceProblem, dialect_of, locate, step_fields,
};
use piton_workflow::{NonAssumableChoice, SourceKind, UserOnlyDependency};
use serde_json::Value;

use super::compiled::{Library, declared};
use super::contents::{LibraryContents, LibraryWorkflow};
use super::find::FoundWorkflow;
use super::routines::{compile_beside, is_routine_directory};
use super::scan::{PROJECT_WORKFLOWS, USER_WORKFLOWS, WorkflowSource, read, sources};
use crate::config::Settings;
use crate::reply::{
    CompiledSource, HashInput, InputFile, LocatedProblem, SourceCheck, SourceCompletions,
    SourceFile, StepFields, WorkflowWarning,
};

/// The workflow files that are available to a project, or outside of any.
#[derive(Clone, Debug)]
pub struct SourceFiles {
    /// Everything that was found.
    pub contents: LibraryContents,
    /// The directories that were searched, weakest first.
    pub sources: Vec<WorkflowSource>,
    user_dir: Option<PathBuf>,
    project: Option<PathBuf>,
}

/// The place of a workflow's text.
pub(super) enum SourceLocation {
    Bundled(BuiltinWorkflow),
    File(PathBuf),
}

impl SourceFiles {
    /// Searches the directories that the settings, the user's configuration directory and the project name.
    pub fn find(
        library: &Library,
        settings: &Settings,
        user_dir: Option<&Path>,
        project: Option<&Path>,
    ) -> Self {
        let sources = sources(settings, user_dir, project);
        Self {
            contents: library.contents(&sources),
            sources,
            user_dir: user_dir.map(Path::to_owned),
            project: project.map(Path::to_owned),
        }
    }

    /// Returns the directory for new files of the user, or of the project.
    pub fn directory(&self, of_project: bool) -> Result<(SourceKind, PathBuf), Envelope> {
        let refused = |message, suggestion| {
            Envelope::new(Code::ValidationError, message).with_suggestion(suggestion)
        };
        if of_project {
            let project = self.project.as_ref().ok_or_else(|| {
                refused("There is no project here.", "Change to its directory first.")
            })?;
            return Ok((SourceKind::Project, project.join(PROJECT_WORKFLOWS)));
        }
        let user = self.user_dir.as_ref().ok_or_else(|| {
            refused(
                "There is no home directory to keep workflows in.",
                "Set HOME, or add --project to keep them in the project.",
            )
        })?;
        Ok((SourceKind::User, user.join(USER_WORKFLOWS)))
    }

    /// Returns the text of a workflow or routine, by its id or by the path of its file. A file that does not load has
    /// one too.
    pub fn source(&self, reference: &str) -> Result<SourceFile, Envelope> {
        let (text, path) = match self.locate(reference)? {
            SourceLocation::Bundled(bundled) => (bundled.text().to_owned(), None),
            SourceLocation::File(path) => {
                (read(&path).map_err(|error| unreadable(&path, &error))?, Some(path))
            }
        };
        let of_file = |one: &&LibraryWorkflow| one.path == path;
        let known = match &path {
            Some(_) => self.contents.files().find(of_file),
            None => self.contents.find(reference).ok().map(|found| found.workflow),
        };
        let workflow_id = known.map(|known| known.workflow.workflow_id.clone());
        let shown = path.as_ref().map(|path| path.display().to_string());
        let mut shadowed = self.contents.shadowed.clone();
        shadowed.retain(|one| {
            Some(&one.workflow_id) == workflow_id.as_ref() || Some(&one.path) == shown.as_ref()
        });
        Ok(SourceFile {
            workflow_id,
            source_kind: path.as_deref().map_or(SourceKind::Bundled, |path| self.source_of(path).0),
            is_routine: is_routine(path.as_deref(), &text),
            is_read_only: path.is_none(),
            digest: Digest::of(&FileBytes(text.as_bytes())),
            check: self.check(&text, path.as_deref(), Purpose::Load),
            path: shown,
            text,
            shadowed,
        })
    }

    /// Compiles a text as if it were the content of the file at `path`, or of a new file of the user.
    pub fn check(&self, text: &str, path: Option<&Path>, purpose: Purpose) -> SourceCheck {
        let (kind, directory) = match path {
            Some(path) => self.source_of(path),
            None => self.directory(false).unwrap_or((SourceKind::User, PathBuf::new())),
        };
        // The text of a bundled workflow has an id that no other file may have.
        let bundled = BuiltinWorkflow::ALL.iter().find(|one| path.is_none() && one.text() == text);
        let compiled = match bundled {
            Some(bundled) => Ok(bundled.compiled()),
            None => compile_beside(text, kind, &directory, purpose, &self.sources),
        };
        check_of(text, compiled)
    }

    /// Returns what a workflow or routine compiles to, and what its hash is made of.
    pub fn compiled(&self, id: &str) -> Result<CompiledSource, Envelope> {
        let FoundWorkflow { workflow: found, warning, .. } = self.contents.find_to_read(id)?;
        let workflow = CompiledWorkflow::clone(&found.workflow);
        let bytes = |text: &str| Digest::of(&FileBytes(text.as_bytes()));
        let digest = match (&found.path, found.bundled) {
            (Some(path), _) => bytes(&read(path).map_err(|error| unreadable(path, &error))?),
            (None, bundled) => bytes(bundled.map_or("", BuiltinWorkflow::text)),
        };
        let path = found.path.as_ref().map(|path| path.display().to_string());
        let mut files = vec![InputFile { path, digest, is_routine: false }];
        for one in &self.contents.routines {
            let Some(path) = one.routine.path.as_deref() else { continue };
            // A routine that vanished meanwhile is left out; the next listing reports it.
            if one.used_by.contains(&workflow.workflow_id)
                && let Ok(text) = read(path)
            {
                let path = Some(path.display().to_string());
                files.push(InputFile { path, digest: bytes(&text), is_routine: true });
            }
        }
        let hash_inputs = hash_inputs(&workflow);
        Ok(CompiledSource { workflow_hash: found.hash, hash_inputs, files, workflow, warning })
    }

    /// Returns everything that an editor completes from.
    pub fn completions(&self) -> SourceCompletions {
        // A call names a routine by its own id, whatever namespace the file has.
        let routine = |one: &LibraryWorkflow| {
            let declared = one.legacy_id.as_deref().unwrap_or(one.workflow.workflow_id.as_str());
            RoutineId::of_file(declared, true).map(|id| id.as_str().to_owned())
        };
        let mut routines: Vec<String> =
            self.contents.routines.iter().filter_map(|one| routine(&one.routine)).collect();
        routines.sort();
        routines.dedup();
        let workflows = self.contents.workflows.keys().cloned().collect();
        let of =
            |dialect: &Dialect| StepFields { dialect: *dialect, fields: step_fields(*dialect) };
        SourceCompletions {
            builtins: catalogue(),
            routines,
            workflows,
            step_fields: Dialect::ALL.iter().map(of).collect(),
            needs_user_reasons: UserOnlyDependency::NAMES,
            needs_user_choices: NonAssumableChoice::NAMES,
        }
    }

    /// Finds the text of a workflow by its id, by the path of its file, or by the id in a file that does not load.
    pub(super) fn locate(&self, reference: &str) -> Result<SourceLocation, Envelope> {
        let not_found = match self.contents.find_to_read(reference) {
            Ok(FoundWorkflow { workflow, .. }) => match (&workflow.path, workflow.bundled) {
                (Some(path), _) => return Ok(SourceLocation::File(path.clone())),
                (None, Some(bundled)) => return Ok(SourceLocation::Bundled(bundled)),
                (None, None) => {
                    return Err(Envelope::new(
                        Code::ValidationError,
                        format!("The file of `{reference}` is not known."),
                    )
                    .with_suggestion(
                        "Choose another workflow; the list of workflows shows them.",
                    ));
                }
            },
            Err(not_found) => not_found,
        };
        let loaded = self.contents.files().filter_map(|one| one.path.clone());
        let shadowed = self.contents.shadowed.iter().map(|one| PathBuf::from(&one.path));
        let broken = self.contents.broken.iter().map(|one| PathBuf::from(&one.path));
        let by_path =
            loaded.chain(shadowed).chain(broken.clone()).find(|path| path == Path::new(reference));
        let declares = |path: &PathBuf| {
            read(path).is_ok_and(|text| declared(&text).is_some_and(|id| id == reference))
        };
        // Only files that do not load are read for their id: the library knows the others.
        by_path
            .or_else(|| broken.into_iter().find(declares))
            .map(SourceLocation::File)
            .ok_or(not_found)
    }

    /// Returns the file of a workflow, or the path of one that is yet to be written.
    pub fn path_of(&self, reference: &str) -> Option<PathBuf> {
        match self.locate(reference) {
            Ok(SourceLocation::File(path)) => Some(path),
            Ok(SourceLocation::Bundled(_)) => None,
            Err(_) => self.new_file(reference),
        }
    }

    /// Returns the kind and directory of the source that a file belongs to.
    pub(super) fn source_of(&self, path: &Path) -> (SourceKind, PathBuf) {
        // The innermost directory counts, should one source lie within another.
        let holds = |source: &&WorkflowSource| path.starts_with(&source.directory);
        let inner = self.sources.iter().filter(holds);
        match inner.max_by_key(|source| source.directory.components().count()) {
            Some(source) => (source.kind, source.directory.clone()),
            None => (SourceKind::User, path.parent().unwrap_or(Path::new("")).to_owned()),
        }
    }
}

/// True if a file defines a routine.
fn is_routine(path: Option<&Path>, text: &str) -> bool {
    let is_inside = path.is_some_and(is_routine_directory);
    declared(text).is_some_and(|id| RoutineId::of_file(&id, is_inside).is_some())
}

/// Returns the verdict on a text, given what compiling it led to.
fn check_of(text: &str, compiled: Result<CompiledWorkflow, Vec<SourceProblem>>) -> SourceCheck {
    let dialect = dialect_of(text);
    match compiled {
        Ok(workflow) => SourceCheck {
            is_sound: true,
            dialect,
            problems: Vec::new(),
            warnings: workflow.compiled_warnings.iter().map(WorkflowWarning::of).collect(),
            workflow_hash: Some(workflow.workflow_hash()),
            workflow_id: Some(workflow.workflow_id),
        },
        Err(problems) => {
            let located =
                |problem: SourceProblem| LocatedProblem { range: locate(text, &problem), problem };
            let mut problems: Vec<LocatedProblem> = problems.into_iter().map(located).collect();
            problems.sort_by_key(|problem| problem.range);
            let warnings = Vec::new();
            let (workflow_id, workflow_hash) = (None, None);
            SourceCheck { is_sound: false, dialect, problems, warnings, workflow_id, workflow_hash }
        }
    }
}

/// Returns the parts of the JSON that a workflow hash covers. The steps, which are most of it, are listed one by one.
fn hash_inputs(workflow: &CompiledWorkflow) -> Vec<HashInput> {
    let input = |part: String, value: &Value| {
        let bytes = encode(value).expect("a part of a compiled workflow has a canonical form");
        HashInput { part, bytes: bytes.as_bytes().len(), digest: Digest::of(&bytes) }
    };
    let whole = serde_json::to_value(workflow).expect("a compiled workflow is JSON");
    let mut inputs = Vec::new();
    for (name, value) in whole.as_object().into_iter().flatten() {
        match (name.as_str(), value.as_array()) {
            ("steps", Some(steps)) => {
                for (step, compiled) in steps.iter().zip(&workflow.steps) {
                    inputs.push(input(format!("steps/{}", compiled.step_id), step));
                }
            }
            _ => inputs.push(input(name.clone(), value)),
        }
    }
    inputs
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Envelope {
    let message = format!("{} cannot be read: {error}.", path.display());
    Envelope::new(Code::StoreIo, message)
        .with_suggestion("Check the file and its permissions, then repeat the request.")
}
