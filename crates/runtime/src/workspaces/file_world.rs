//! The open Workspaces of a process: calls of agents in them, each recorded with its author, and what people see of a
//! path.

use std::fmt;
use std::sync::Arc;

use piton_core::{Code, Envelope, Provenance};
use piton_workflow::compile::{StepAccess, WorkspaceAccess};
use piton_workspaces::audit::{FileBlame, Ledgers};
use piton_workspaces::config::{Opened, OpenedOverlay, WorkspaceConfig, WorkspacePorts, open};
use piton_workspaces::landlock::AllowedDirectory;
use piton_workspaces::path::{LogicalPath, MountPath};
use piton_workspaces::{AccessScope, Actor, Error, Files, Tool, Workspace, Workspaces};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::declaration::{DeclaredBy, JoinedWorkspaces};
use crate::workflow::CallBasis;

/// Suggestion at the end of every refusal of a configuration.
const FIX: &str =
    "Fix what is named, in `[[workspaces]]` of the configuration file or in --workspace.";

/// A Workspace, as the person who configured it sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceShown {
    pub prefix: LogicalPath,
    pub scope: AccessScope,
    pub purpose: String,
    /// Storage of its files, in words.
    pub store: String,
    pub declared_by: DeclaredBy,
}

/// The permission of one tool at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolVerdict {
    pub tool: Tool,
    /// Reason that the tool is refused; `None` if it is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The Workspace of a path, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResolvedPath {
    pub path: LogicalPath,
    pub workspace: WorkspaceShown,
    /// Path inside the Mount; empty for the Mount itself.
    pub at: MountPath,
    /// Message for an agent that asks for the path; `None` if the path is not hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// Permission of each tool there.
    pub tools: Vec<ToolVerdict>,
}

/// The history of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileHistory {
    pub path: LogicalPath,
    /// Prefix of its Workspace.
    pub workspace: LogicalPath,
    #[serde(flatten)]
    pub blame: FileBlame,
}

/// The open Workspaces of a process.
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
    /// Opens the declared Workspaces and settles the records that dead processes left open there. If anything is wrong,
    /// every problem is reported and nothing is opened.
    pub async fn open(joined: JoinedWorkspaces, ports: &WorkspacePorts) -> Result<Self, Envelope> {
        let opened = opened(&joined, ports).map_err(|error| match error {
            Error::Config { .. } => error.envelope().with_suggestion(FIX),
            other => other.into(),
        })?;
        let JoinedWorkspaces { workspaces: declared, mut notes, .. } = joined;
        notes.extend(opened.warnings);
        let ledgers = Ledgers::of(&ports.kept.table, &ports.kept.clock, &opened.mounts);
        let workspaces = Arc::new(opened.workspaces);
        // A process that died between a change and its outcome left the record open. It is settled from the files
        // before anyone here reads or writes.
        ledgers.recover(&workspaces).await?;
        Ok(Self { workspaces, overlays: opened.overlays, ledgers, declared, notes })
    }

    /// Returns every problem for which [`Self::open`] refuses the declarations, each beginning with the prefix
    /// concerned.
    pub fn problems(joined: &JoinedWorkspaces, ports: &WorkspacePorts) -> Vec<String> {
        match opened(joined, ports) {
            Ok(_) => Vec::new(),
            Err(Error::Config { problems }) => problems,
            Err(other) => vec![other.to_string()],
        }
    }

    /// Returns the overview of its files that an agent gets before it begins.
    pub fn map(&self) -> String {
        self.workspaces.map()
    }

    /// Returns the tools that can succeed at least once.
    pub fn tools(&self) -> Vec<Tool> {
        self.workspaces.tools()
    }

    /// Returns the tools that can succeed at least once under any of these step accesses.
    pub fn tools_left(&self, left: &[Option<StepAccess>]) -> Vec<Tool> {
        let sets: Vec<_> =
            left.iter().map(|access| self.granted(access.as_ref()).tools()).collect();
        Tool::ALL.iter().copied().filter(|tool| sets.iter().any(|set| set.contains(tool))).collect()
    }

    /// Returns the overview of its files for an agent at a step with this access.
    pub fn map_left(&self, access: Option<&StepAccess>) -> String {
        self.granted(access).map()
    }

    /// Returns the Workspaces as they were declared, for comparison with others.
    pub fn configs(&self) -> impl Iterator<Item = &WorkspaceConfig> {
        self.declared.iter().map(|(config, _)| config)
    }

    /// Returns notes for the person who maintains this: declarations that do not count, and Workspaces that reach the
    /// same files.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the Workspaces in the order of their prefixes.
    pub fn describe(&self) -> Vec<WorkspaceShown> {
        self.workspaces.all().iter().map(|one| self.show(one)).collect()
    }

    /// Returns the Workspace of a path, and the permission of each tool there. Does not access any Store.
    pub fn resolve(&self, path: &str) -> Result<ResolvedPath, Envelope> {
        let path = parse(path)?;
        let Some((workspace, at)) = self.workspaces.find(&path) else {
            return Err(self.workspaces.unmapped(&path).into());
        };
        let permit = |tool: Tool| self.workspaces.permit(tool, tool.needs(), &path);
        let verdict = |tool: &Tool| ToolVerdict {
            tool: *tool,
            refused: permit(*tool).err().map(|error| error.to_string()),
        };
        // The message of any tool that reports the path as hidden will do.
        let hidden = Tool::ALL.iter().find_map(|tool| match permit(*tool) {
            Err(hidden @ Error::Hidden { .. }) => Some(hidden.to_string()),
            _ => None,
        });
        Ok(ResolvedPath {
            workspace: self.show(workspace),
            at,
            hidden,
            tools: Tool::ALL.iter().map(verdict).collect(),
            path,
        })
    }

    /// Returns the changes to a file, and whether it was also changed without a record.
    pub async fn history(&self, path: &str) -> Result<FileHistory, Envelope> {
        let path = parse(path)?;
        let blame = self.ledgers.blame(&self.workspaces, &path).await?;
        let found = self.workspaces.find(&path).map(|(found, _)| found.prefix().clone());
        Ok(FileHistory { workspace: found.unwrap_or_else(LogicalPath::root), path, blame })
    }

    /// Returns the files that should exist according to their records and were lost to damage.
    pub async fn lost_files(&self) -> Result<Vec<String>, Envelope> {
        let lost = self.ledgers.lost(&self.workspaces).await?;
        Ok(lost.iter().map(ToString::to_string).collect())
    }

    /// Makes a call of an agent, with the access that its step leaves. Changes are recorded under the agent's name,
    /// with that step.
    pub async fn call(
        &self,
        agent: &str,
        basis: &CallBasis,
        tool: &str,
        arguments: Value,
    ) -> Result<String, Envelope> {
        // The tool runs against the narrowed set, so nothing beyond it can be reached, whatever the arguments.
        let granted = self.granted(basis.access.as_ref());
        let files = Files::new(Arc::clone(&granted));
        let actor = actor(agent, basis.provenance.as_ref());
        let made = files.recorded(self.ledgers.clone(), actor).run(tool, arguments).await;
        // The same set means that the step narrowed nothing, so the error needs no mention of it.
        let is_narrowed = !Arc::ptr_eq(&granted, &self.workspaces);
        made.map_err(|error| {
            let envelope = error.into();
            if is_narrowed { narrowed(envelope, &granted) } else { envelope }
        })
    }

    /// True if the outcome of a change is known but not yet written.
    pub fn has_unwritten(&self) -> bool {
        self.ledgers.has_unwritten()
    }

    /// Writes the outcomes of changes that no later change has carried along. Until then, readers of the records derive
    /// them from the files.
    pub async fn flush(&self) -> Result<(), Envelope> {
        Ok(self.ledgers.flush().await?)
    }

    /// Returns the Workspaces that a step leaves; all of them if the step does not mention files.
    fn granted(&self, access: Option<&StepAccess>) -> Arc<Workspaces> {
        let access = access.and_then(|access| access.workspaces.as_ref());
        let Some(access) = access else { return Arc::clone(&self.workspaces) };
        let grant = |one: &WorkspaceAccess| {
            // An entry that is not a valid prefix or scope here grants nothing: errors narrow access, they never widen
            // it.
            Some((one.prefix.parse().ok()?, one.scope.as_str().parse().ok()?))
        };
        let grants: Vec<_> = access.iter().filter_map(grant).collect();
        Arc::new(self.workspaces.narrowed(&grants))
    }

    /// Returns the directories of the machine that the Workspaces reach, with their scopes. A sandbox must leave these
    /// open.
    pub fn openings(declared: &JoinedWorkspaces) -> Vec<AllowedDirectory> {
        let opening = |(config, _): &(WorkspaceConfig, DeclaredBy)| {
            let directory = config.directory.clone()?;
            Some(AllowedDirectory { directory, scope: config.scope.parse().ok()? })
        };
        declared.workspaces.iter().filter_map(opening).collect()
    }

    fn show(&self, workspace: &Workspace) -> WorkspaceShown {
        let is_it = |(config, _): &&(WorkspaceConfig, DeclaredBy)| {
            config.prefix.parse::<LogicalPath>().as_ref() == Ok(workspace.prefix())
        };
        let found = self.declared.iter().find(is_it);
        let (config, declared_by) = found.expect("what is open was declared");
        WorkspaceShown {
            prefix: workspace.prefix().clone(),
            scope: workspace.scope(),
            purpose: workspace.purpose().to_owned(),
            store: stored(config, *declared_by),
            declared_by: *declared_by,
        }
    }
}

/// Parses a path from a person.
pub(super) fn parse(path: &str) -> Result<LogicalPath, Error> {
    path.parse().map_err(|problem| Error::path(path, problem))
}

/// Describes the storage of a Workspace for the person who configured it.
fn stored(config: &WorkspaceConfig, by: DeclaredBy) -> String {
    let kept = match (&config.directory, &config.namespace) {
        (Some(directory), _) => return format!("directory {}", directory.display()),
        (None, Some(_)) if by == DeclaredBy::User => "virtual, kept",
        // The namespace contains the directory, so after moving the directory the Workspace starts empty.
        (None, Some(_)) => "virtual, kept for this directory",
        (None, None) => "virtual, in memory",
    };
    match &config.over {
        Some(over) => format!("{kept}, copy-on-write over {over}"),
        None => kept.to_owned(),
    }
}

/// Returns the actor as it is recorded.
pub(super) fn actor(agent: &str, at: Option<&Provenance>) -> Actor {
    Actor {
        agent: agent.to_owned(),
        session: at.map(|at| at.session.to_string()),
        run: at.map(|at| at.run.to_string()),
        node: at.map(|at| at.node.to_string()),
        step: at.map(|at| at.step.clone()),
    }
}

/// Adds the narrowed set to a refusal that it may have caused.
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

/// Opens the declared Workspaces, or returns everything that is wrong with them.
fn opened(joined: &JoinedWorkspaces, ports: &WorkspacePorts) -> Result<Opened, Error> {
    let configs: Vec<WorkspaceConfig> =
        joined.workspaces.iter().map(|(config, _)| config.clone()).collect();
    let mut problems = joined.problems.clone();
    // Opened even if problems are known already, so that one run reports all of them.
    match open(&configs, ports) {
        Ok(opened) if problems.is_empty() => return Ok(opened),
        Ok(_) => {}
        Err(Error::Config { problems: more }) => problems.extend(more),
        Err(other) => return Err(other),
    }
    Err(Error::Config { problems })
}
