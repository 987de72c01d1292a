//! The use cases of a project's context that need no agent: scan, status, check, compare.

use std::collections::BTreeMap;
use std::path::PathBuf;

use piton_context::check::{ContextRepaired, SetAside, Validation};
use piton_context::history::{FrameChange, RootEntry, RootRef};
use piton_context::report::ContextReport;
use piton_context::scan::Scanner;
use piton_context::tree::TreeChange;
use piton_context::word::{AgentId, Label};
use piton_context::{Context, Error};
use piton_core::Envelope;
use serde::Serialize;

use super::agent_context::AgentContext;
use super::ports::FramePorts;
use super::project_location::ProjectLocation;
use super::reply::{AgentShown, ScanShown, StatusShown, TypeShown};
use super::settings::{ContextSettings, person};

/// The context of one project.
#[derive(Clone)]
pub struct Frames {
    pub(super) context: Context,
    pub(super) place: ProjectLocation,
    pub(super) settings: ContextSettings,
    stamps: Option<PathBuf>,
}

/// The differences between two recorded trees.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Differences {
    pub old: RootEntry,
    pub new: RootEntry,
    /// Paths that differ, in order.
    pub changes: Vec<TreeChange>,
    /// Frames about either side of the differences.
    pub frames: Vec<FrameChange>,
}

impl std::fmt::Debug for Frames {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Frames").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Frames {
    /// Opens the context of the project at `place`.
    pub fn open(ports: &FramePorts, place: ProjectLocation, settings: ContextSettings) -> Self {
        let id = place.id();
        let stamps = ports.stamps.as_ref().map(|directory| directory.join(format!("{id}.stamps")));
        Self { context: ports.context(id), place, settings, stamps }
    }

    /// Returns the location of the project.
    pub fn place(&self) -> &ProjectLocation {
        &self.place
    }

    /// Returns the context settings.
    pub fn settings(&self) -> &ContextSettings {
        &self.settings
    }

    /// Returns the use cases of an agent, or of the person at the command line if none is named. Refuses an unknown
    /// agent.
    pub fn act_as(&self, agent: Option<&AgentId>) -> Result<AgentContext, Envelope> {
        let agent = match agent {
            Some(agent) if *agent != person() => {
                self.settings.check(agent)?;
                agent.clone()
            }
            _ => person(),
        };
        AgentContext::new(self.clone(), &agent)
    }

    /// Returns the use cases of a configured agent, for a client that acts as it. A client can never act as the person.
    pub fn serve(&self, agent: &AgentId) -> Result<AgentContext, Envelope> {
        self.settings.check(agent)?;
        AgentContext::new(self.clone(), agent)
    }

    pub(super) fn scanner(&self) -> Scanner {
        let scanner = Scanner::new(self.place.directory());
        match &self.stamps {
            Some(stamps) => scanner.with_stamps(stamps),
            None => scanner,
        }
    }

    /// Records the current state of the project directory. With `force`, every file is read, whatever is remembered.
    pub async fn scan(&self, force: bool, label: Option<&Label>) -> Result<ScanShown, Envelope> {
        self.scan_now(force, label).await.map_err(|error| error.envelope())
    }

    async fn scan_now(&self, force: bool, label: Option<&Label>) -> Result<ScanShown, Error> {
        let found = self.scanner().scan(force)?;
        let report = found.report;
        let recorded = match self.context.record(&found.tree, report.is_partial(), label).await {
            // Every file was just read, so damaged earlier trees can be replaced and need not block the scan.
            Err(Error::Integrity { .. }) if force => {
                self.context.repair_trees(&found.tree, report.is_partial()).await?;
                self.context.record(&found.tree, report.is_partial(), label).await?
            }
            recorded => recorded?,
        };
        let mut changes = BTreeMap::new();
        for change in &recorded.changes {
            *changes.entry(change.change.to_string()).or_insert(0) += 1;
        }
        let RootEntry { sequence, root, totals, .. } = recorded.root;
        Ok(ScanShown {
            root: root.to_string(),
            sequence,
            is_new: !recorded.changes.is_empty(),
            changes,
            adopted: recorded.adopted,
            files: totals.files,
            directories: totals.directories,
            symlinks: totals.symlinks,
            bytes: totals.bytes,
            report,
        })
    }

    /// Makes the stored context usable again: writes the current files again, rebuilds heads, sets and indices, and
    /// keeps unreadable data elsewhere. Returns the work done, and the result of a check afterwards.
    pub async fn repair(&self) -> Result<(ContextRepaired, Validation), Envelope> {
        let repair = async {
            let found = self.scanner().scan(true)?;
            let done = self.context.repair(&found.tree, found.report.is_partial()).await?;
            Ok((done, self.context.validate().await?))
        };
        repair.await.map_err(|error: Error| error.envelope())
    }

    /// Lists everything that repairs took out of use.
    pub async fn set_aside(&self) -> Result<Vec<SetAside>, Envelope> {
        self.context.set_aside().await.map_err(|error| error.envelope())
    }

    /// Records the current state of the project directory, but only if it was ever scanned.
    pub(super) async fn refresh(&self) -> Result<(), Error> {
        // Fails if there is no recorded tree. A read or write must not start tracking a project on its own.
        self.context.current().await?;
        self.scan_now(false, None).await.map(|_| ())
    }

    /// Returns the status: the current tree, its frames by type and agent, and the stale ones.
    pub async fn status(&self) -> Result<StatusShown, Envelope> {
        let report = self.report(&RootRef::Current).await?;
        let line = |line: &piton_context::report::Coverage| TypeShown {
            frame_type: line.frame_type.to_string(),
            agent: line.agent.to_string(),
            fresh: if report.unchecked.is_some() { 0 } else { line.nodes - line.stale },
            stale: line.stale,
            missing: report.nodes - line.nodes,
        };
        let types = report.coverage.iter().map(line).collect();
        Ok(StatusShown { project: self.place.directory().display().to_string(), types, report })
    }

    /// Returns coverage and stale frames, judged against a recorded tree.
    pub async fn report(&self, tree: &RootRef) -> Result<ContextReport, Envelope> {
        let report = match tree {
            RootRef::Current => {
                self.context.refreshed(&mut self.scanner(), None).await.report(tree).await
            }
            // A past tree cannot have changed, so the files need no check.
            past => self.context.report(past).await,
        };
        report.map_err(|error| error.envelope())
    }

    /// Checks everything that is stored of the project.
    pub async fn validate(&self) -> Result<Validation, Envelope> {
        self.context.validate().await.map_err(|error| error.envelope())
    }

    /// Returns the differences between two recorded trees, with the frames about them.
    pub async fn diff(&self, old: &RootRef, new: &RootRef) -> Result<Differences, Envelope> {
        self.differences(old, new).await.map_err(|error| error.envelope())
    }

    async fn differences(&self, old: &RootRef, new: &RootRef) -> Result<Differences, Error> {
        let changes = self.context.diff(old, new).await?;
        let frames = self.context.frames_of_changes(&changes).await?;
        let (old, new) = (self.context.root(old).await?, self.context.root(new).await?);
        Ok(Differences { old, new, changes, frames })
    }

    /// Returns a recorded tree.
    pub async fn recorded(&self, tree: &RootRef) -> Result<RootEntry, Envelope> {
        self.context.root(tree).await.map_err(|error| error.envelope())
    }

    /// Returns every recorded tree, oldest first.
    pub async fn history(&self) -> Result<Vec<RootEntry>, Envelope> {
        self.context.roots().await.map_err(|error| error.envelope())
    }

    /// Returns the configured agents.
    pub fn agents(&self) -> Vec<AgentShown> {
        let served = self.settings.served();
        let agents = self.settings.agents();
        let shown = agents.map(|(name, agent)| AgentShown {
            name: name.to_string(),
            role: agent.role,
            provider: agent.provider.clone(),
            model: agent.model.clone(),
            prompt: agent.prompt.clone(),
            is_served: served == Some(name),
        });
        shown.collect()
    }
}
