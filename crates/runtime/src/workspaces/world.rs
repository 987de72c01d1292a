//! The Workspaces of a process, open.

use std::fmt;
use std::sync::Arc;

use piton_core::{Code, Envelope, Provenance};
use piton_workflow::compile::{StepAccess, WorkspaceAccess};
use piton_workspaces::audit::Ledgers;
use piton_workspaces::config::{Opened, OpenedOverlay, WorkspaceConfig, WorkspacePorts, open};
use piton_workspaces::landlock::AllowedDirectory;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::{Actor, Error, Files, Tool, Workspace, Workspaces};
use serde_json::Value;

use super::declared::DeclaredBy;
use super::joined::JoinedWorkspaces;
use super::reply::WorkspaceShown;
use crate::connection::CallBasis;

/// What every refusal of a configuration ends with.
const MEND: &str =
    "Mend what is named, in `[[workspaces]]` of the configuration file or in --workspace.";

/// The Workspaces of a process, open.
pub struct FileWorld {
    pub(super) workspaces: Arc<Workspaces>,
    pub(super) overlays: Vec<OpenedOverlay>,
    pub(super) ledgers: Ledgers,
    pub(super) declared: Vec<(WorkspaceConfig, DeclaredBy)>,
    notes: Vec<String>,
}

impl fmt::Debug for FileWorld {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FileWorld").field(&self.workspaces.all()).finish()
    }
}

impl FileWorld {
    /// Opens what is declared, and settles what processes left open there that died. If anything is wrong, every
    /// problem is named and nothing is open.
    pub async fn open(joined: JoinedWorkspaces, ports: &WorkspacePorts) -> Result<Self, Envelope> {
        let opened = opened(&joined, ports).map_err(|error| match error {
            Error::Config { .. } => error.envelope().with_suggestion(MEND),
            other => other.envelope(),
        })?;
        let JoinedWorkspaces { workspaces: declared, mut notes, .. } = joined;
        notes.extend(opened.warnings);
        let ledgers = Ledgers::of(&ports.kept.table, &ports.kept.clock, &opened.mounts);
        let workspaces = Arc::new(opened.workspaces);
        ledgers.recover(&workspaces).await.map_err(|error| error.envelope())?;
        Ok(Self { workspaces, overlays: opened.overlays, ledgers, declared, notes })
    }

    /// Everything for which [`Self::open`] refuses what is declared, each beginning with the prefix that it is about.
    pub fn problems(joined: &JoinedWorkspaces, ports: &WorkspacePorts) -> Vec<String> {
        match opened(joined, ports) {
            Ok(_) => Vec::new(),
            Err(Error::Config { problems }) => problems,
            Err(other) => vec![other.to_string()],
        }
    }

    /// What an agent is told about its files before it begins.
    pub fn map(&self) -> String {
        self.workspaces.map()
    }

    /// The tools of which at least one use can succeed.
    pub fn tools(&self) -> Vec<Tool> {
        self.workspaces.tools()
    }

    /// The tools of which at least one use can succeed under one of what steps leave.
    pub fn tools_left(&self, left: &[Option<StepAccess>]) -> Vec<Tool> {
        let sets: Vec<_> =
            left.iter().map(|access| self.granted(access.as_ref()).tools()).collect();
        Tool::ALL.iter().copied().filter(|tool| sets.iter().any(|set| set.contains(tool))).collect()
    }

    /// What an agent is told about its files at a step that leaves it this.
    pub fn map_left(&self, access: Option<&StepAccess>) -> String {
        self.granted(access).map()
    }

    /// The Workspaces as they were declared, for whoever compares them with others.
    pub fn configs(&self) -> impl Iterator<Item = &WorkspaceConfig> {
        self.declared.iter().map(|(config, _)| config)
    }

    /// What a person should know who looks after this: what does not count, and what reaches the same files.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The Workspaces, in the order of their prefixes.
    pub fn describe(&self) -> Vec<WorkspaceShown> {
        self.workspaces.all().iter().map(|one| self.shown_one(one)).collect()
    }

    /// Makes a call of an agent, with what the step that it stands on leaves it. What it changes is recorded as its
    /// own, with that step.
    pub async fn call(
        &self,
        agent: &str,
        standing: &CallBasis,
        tool: &str,
        arguments: Value,
    ) -> Result<String, Envelope> {
        let granted = self.granted(standing.access.as_ref());
        let files = Files::new(Arc::clone(&granted));
        let actor = actor(agent, standing.provenance.as_ref());
        let reply = files.recorded(self.ledgers.clone(), actor).call(tool, arguments).await;
        match reply.error {
            None => Ok(reply.text),
            Some(error) if Arc::ptr_eq(&granted, &self.workspaces) => Err(error.envelope()),
            Some(error) => Err(narrowed(error.envelope(), &granted)),
        }
    }

    /// Whether what became of a change is known and not written yet.
    pub fn has_unwritten(&self) -> bool {
        self.ledgers.has_unwritten()
    }

    /// Writes what became of changes, where that rode along with no further change. Before it is written, whoever
    /// reads the records finds it out from the files.
    pub async fn flush(&self) -> Result<(), Envelope> {
        self.ledgers.flush().await.map_err(|error| error.envelope())
    }

    /// What a step leaves of the Workspaces; all of them if it does not speak of files.
    fn granted(&self, access: Option<&StepAccess>) -> Arc<Workspaces> {
        let access = access.and_then(|access| access.workspaces.as_ref());
        let Some(access) = access else { return Arc::clone(&self.workspaces) };
        let grant = |one: &WorkspaceAccess| {
            // What is no prefix or no scope here grants nothing.
            Some((one.prefix.parse().ok()?, one.scope.as_str().parse().ok()?))
        };
        let grants: Vec<_> = access.iter().filter_map(grant).collect();
        Arc::new(self.workspaces.narrowed(&grants))
    }

    /// The directories of the machine that the Workspaces reach, and how: what a wall has to leave open.
    pub fn openings(declared: &JoinedWorkspaces) -> Vec<AllowedDirectory> {
        let opening = |(config, _): &(WorkspaceConfig, DeclaredBy)| {
            let directory = config.directory.clone()?;
            Some(AllowedDirectory { directory, scope: config.scope.parse().ok()? })
        };
        declared.workspaces.iter().filter_map(opening).collect()
    }

    pub(super) fn shown_one(&self, workspace: &Workspace) -> WorkspaceShown {
        let is_it = |(config, _): &&(WorkspaceConfig, DeclaredBy)| {
            config.prefix.parse::<LogicalPath>().as_ref() == Ok(workspace.prefix())
        };
        let found = self.declared.iter().find(is_it);
        let (config, declared_by) = found.expect("what is open was declared");
        WorkspaceShown {
            prefix: workspace.prefix().to_string(),
            scope: workspace.scope(),
            purpose: workspace.purpose().to_owned(),
            store: stored(config, *declared_by),
            declared_by: *declared_by,
        }
    }
}

/// Where the files of a Workspace are kept, for the person who configured it.
fn stored(config: &WorkspaceConfig, by: DeclaredBy) -> String {
    let kept = match (&config.directory, &config.namespace) {
        (Some(directory), _) => return format!("directory {}", directory.display()),
        (None, Some(_)) if by == DeclaredBy::User => "virtual, kept",
        // Whoever moves the directory begins with none of them.
        (None, Some(_)) => "virtual, kept for this directory",
        (None, None) => "virtual, in memory",
    };
    match &config.over {
        Some(over) => format!("{kept}, copy-on-write over {over}"),
        None => kept.to_owned(),
    }
}

/// Who acts, as it is recorded.
pub(super) fn actor(agent: &str, at: Option<&Provenance>) -> Actor {
    Actor {
        agent: agent.to_owned(),
        session: at.map(|at| at.session.to_string()),
        run: at.map(|at| at.run.to_string()),
        node: at.map(|at| at.node.to_string()),
        step: at.map(|at| at.step.clone()),
    }
}

/// A refusal under a narrower set, with what that is.
fn narrowed(refused: Envelope, granted: &Workspaces) -> Envelope {
    let narrows = [Code::WorkspaceUnmapped, Code::WorkspaceScope, Code::WorkspaceBadArgument];
    if !narrows.contains(&refused.code) {
        return refused;
    }
    let map = granted.map();
    let suggestion =
        format!("{}\nThe step that you are at leaves you this:\n{map}", refused.suggestion);
    refused.with_suggestion(suggestion.trim_end())
}

/// Opens what is declared, or names everything that is wrong with it.
fn opened(joined: &JoinedWorkspaces, ports: &WorkspacePorts) -> Result<Opened, Error> {
    let configs: Vec<WorkspaceConfig> =
        joined.workspaces.iter().map(|(config, _)| config.clone()).collect();
    let mut problems = joined.problems.clone();
    match open(&configs, ports) {
        Ok(opened) if problems.is_empty() => return Ok(opened),
        Ok(_) => {}
        Err(Error::Config { problems: more }) => problems.extend(more),
        Err(other) => return Err(other),
    }
    Err(Error::Config { problems })
}
