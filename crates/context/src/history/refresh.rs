//! Checks the disk before freshness is reported.
//!
//! A question about one file reads that file and the ignore files above it, and compares their ids with those of the
//! current tree. Any other question, and any difference, leads to a scan, which is recorded like any other.
//!
//! *Invariants*: a tree is recorded here only if no other was recorded since its scan began, so an older view never
//! replaces a newer one. A failure fails no read: the read continues with what is recorded, and reports that freshness
//! was not checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{FoundNode, NodeRef};
use crate::bounds::{PROBES_MAX, REFRESH_TRIES_MAX};
use crate::frame::{Basis, BasisInputs};
use crate::scan::{ProblemKind, ScanReport, Scanner};
use crate::tree::{NodeKind, TreeNodeId, TreePath};
use crate::{Context, Error};

/// Outcome of checking the disk.
enum RefreshOutcome {
    /// The current tree matches the disk.
    Current,
    /// Something could not be checked, for this reason.
    Unchecked(String),
}

impl Context {
    /// Checks the project directory and returns an updated context. Checks only what the node `about` depends on, or
    /// everything if it is `None`. Changes are recorded. If that is not possible, the returned context never reports a
    /// frame as fresh.
    #[must_use]
    pub async fn refreshed(&self, scanner: &mut Scanner, about: Option<&NodeRef>) -> Self {
        let look = match self.check_disk(scanner, about).await {
            // The read itself reports a project that was never scanned.
            Ok(RefreshOutcome::Current) | Err(Error::NotScanned) => return self.clone(),
            Ok(RefreshOutcome::Unchecked(reason)) => reason,
            Err(error) => error.to_string(),
        };
        Self { unchecked: Some(Arc::from(look)), ..self.clone() }
    }

    /// Returns the context to read from: in a live one, after a check of the project directory.
    pub(crate) async fn checked(&self, about: Option<&NodeRef>) -> Self {
        if self.is_live { self.refreshed(&mut self.scanner(), about).await } else { self.clone() }
    }

    /// Records the current state of the project directory if the context is live. Fails if the project was never
    /// scanned: a read or write must not start tracking it on its own.
    pub async fn catch_up(&self) -> Result<(), Error> {
        if !self.is_live {
            return Ok(());
        }
        self.current().await?;
        self.scan(false, None).await.map(drop)
    }

    /// Returns the reason that freshness was not checked, if it was not.
    pub fn unchecked(&self) -> Option<&str> {
        self.unchecked.as_deref()
    }

    async fn check_disk(
        &self,
        scanner: &mut Scanner,
        about: Option<&NodeRef>,
    ) -> Result<RefreshOutcome, Error> {
        let looked = match about {
            Some(about) => self.look_at_node(scanner, about).await?,
            None => false,
        };
        if looked { Ok(RefreshOutcome::Current) } else { self.scan_and_record(scanner).await }
    }

    /// True if the files that a node and its frames depend on match the current tree. Returns `false` also if only a
    /// scan can tell.
    async fn look_at_node(&self, scanner: &Scanner, about: &NodeRef) -> Result<bool, Error> {
        let root = self.current().await?.root;
        let Ok(FoundNode { node, .. }) = self.find(root, about).await else {
            return Ok(false);
        };
        // A directory depends on everything below it.
        if node.kind == NodeKind::Directory {
            return Ok(false);
        }
        let mut paths = BTreeSet::from([node.path.clone()]);
        for (frame, _) in self.frames_of(&node.path).await? {
            if let Basis::Generated { given, .. } = &frame.basis {
                paths.extend(given.iter().filter_map(|given| match given {
                    BasisInputs::Node { path, .. } => Some(path.clone()),
                    BasisInputs::Frame { .. } => None,
                }));
            }
            // Beyond this, a scan is cheaper than reading each file.
            if paths.len() > PROBES_MAX {
                return Ok(false);
            }
        }
        for path in &paths {
            if !self.is_as_recorded(scanner, root, path).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn is_as_recorded(
        &self,
        scanner: &Scanner,
        root: TreeNodeId,
        path: &TreePath,
    ) -> Result<bool, Error> {
        let Some(probed) = scanner.probe(path)? else {
            return Ok(false);
        };
        for (path, there) in probed {
            if self.id_at(root, &path).await?.map(|(id, _)| id) != there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Scans, and makes the result the current tree unless another process recorded one meanwhile.
    async fn scan_and_record(&self, scanner: &mut Scanner) -> Result<RefreshOutcome, Error> {
        let mut last = None;
        for _ in 0..REFRESH_TRIES_MAX {
            // Read the row before the scan: if another tree is recorded while the scan runs, the commit conflicts.
            let (row, before) = self.current_row().await?;
            let found = scanner.scan(false)?;
            let report = found.report;
            // A file that is temporarily unreadable must not look as if it was removed.
            if report.is_partial() && !before.partial {
                let vanished = report.problems.iter().all(|one| one.kind == ProblemKind::Vanished);
                last = Some(RefreshOutcome::Unchecked(problem(&report)));
                // Files come and go while someone works; another scan will probably be complete.
                if vanished {
                    continue;
                }
                break;
            }
            match self.record_after(&row, &found.tree, report.is_partial()).await {
                Ok(()) => return Ok(RefreshOutcome::Current),
                Err(error) if error.is_conflict() => {
                    let others = "other processes record trees at the same time";
                    last = Some(RefreshOutcome::Unchecked(others.to_owned()));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(last.expect("every turn that does not return says why"))
    }
}

/// Describes the first problem of a scan and the number of others.
fn problem(report: &ScanReport) -> String {
    let first = report.problems.first().expect("a partial scan has a problem");
    let more = match report.problem_count {
        0 | 1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    format!("{} cannot be read: {}{more}", first.path, first.detail)
}
