//! Reads, checks, saves and copies workflow files.

use std::path::Path;

use piton_core::Envelope;
use piton_workflow::source::Purpose;

use super::runtime::Runtime;
use crate::library::SourceFiles;
use crate::reply::{
    CompiledSource, SaveOutcome, SavedSource, SourceCheck, SourceCompletions, SourceFile,
};
use crate::request::{CheckSource, CopySource, NewSource, SaveSource};

impl Runtime {
    /// Returns the workflow files that are available to a project, or outside of any.
    pub fn source_files(&self, project: Option<&Path>) -> SourceFiles {
        // A bad configuration must not keep anyone from editing workflows; listing them reports it.
        let settings = self.settings_for(project);
        let settings = settings.unwrap_or_else(|_| self.configuration.settings());
        SourceFiles::find(&self.library, &settings, self.configuration.user_dir(), project)
    }

    /// Returns the text of a workflow or routine, by its id or by the path of its file.
    pub fn workflow_source(
        &self,
        reference: &str,
        project: Option<&Path>,
    ) -> Result<SourceFile, Envelope> {
        self.source_files(project).source(reference)
    }

    /// Returns what a workflow or routine compiles to, with the provenance of each part.
    pub fn workflow_compiled(
        &self,
        id: &str,
        project: Option<&Path>,
    ) -> Result<CompiledSource, Envelope> {
        self.source_files(project).compiled(id)
    }

    /// Compiles a text without saving it.
    pub fn check_source(&self, request: &CheckSource, project: Option<&Path>) -> SourceCheck {
        let CheckSource { source, text } = request;
        let files = self.source_files(project);
        let path = source.as_deref().and_then(|source| files.path_of(source));
        let purpose = if path.is_some() { Purpose::Load } else { Purpose::Save };
        files.check(text, path.as_deref(), purpose)
    }

    /// Saves the text of a workflow file, unless the file changed since it was read.
    pub fn save_source(
        &self,
        request: &SaveSource,
        project: Option<&Path>,
    ) -> Result<SaveOutcome, Envelope> {
        self.source_files(project).save(request)
    }

    /// Copies a workflow under a new id.
    pub fn copy_source(
        &self,
        request: &CopySource,
        project: Option<&Path>,
    ) -> Result<SavedSource, Envelope> {
        self.source_files(project).copy(request)
    }

    /// Begins a workflow from a template.
    pub fn new_source(
        &self,
        request: &NewSource,
        project: Option<&Path>,
    ) -> Result<SavedSource, Envelope> {
        self.source_files(project).create(request)
    }

    /// Returns everything that an editor of workflow files completes from.
    pub fn source_completions(&self, project: Option<&Path>) -> SourceCompletions {
        self.source_files(project).completions()
    }
}
