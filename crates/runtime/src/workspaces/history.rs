//! The history of a file.

use piton_core::Envelope;
use piton_workspaces::audit::AuditRecord;
use piton_workspaces::store::Before;

use super::reply::{FileHistory, RecordShown};
use super::resolving::parsed;
use super::world::FileWorld;

impl FileWorld {
    /// Returns the changes to a file, and whether it was also changed without a record.
    pub async fn history(&self, path: &str) -> Result<FileHistory, Envelope> {
        let path = parsed(path)?;
        let blame = self.ledgers.blame(&self.workspaces, &path).await;
        let blame = blame.map_err(|error| error.envelope())?;
        let workspace = self.workspaces.find(&path).map(|(found, _)| found.prefix().to_string());
        Ok(FileHistory {
            path: path.to_string(),
            workspace: workspace.unwrap_or_default(),
            changed_outside: blame.changed_outside,
            lost: blame.lost,
            records: blame.records.into_iter().map(render_record).collect(),
            left_out: blame.older,
        })
    }
}

impl FileWorld {
    /// Returns the files that should exist according to their records and were lost to damage.
    pub async fn lost_files(&self) -> Result<Vec<String>, Envelope> {
        let lost = self.ledgers.lost(&self.workspaces).await.map_err(|error| error.envelope())?;
        Ok(lost.iter().map(ToString::to_string).collect())
    }
}

/// Renders a record for people.
pub(super) fn render_record(record: AuditRecord) -> RecordShown {
    let AuditRecord { number, timestamp_ms, intent, outcome, .. } = record;
    let before = match intent.before {
        Before::File(digest) => digest.map(|digest| digest.to_string()),
        Before::Nothing | Before::Directory => None,
    };
    RecordShown {
        number,
        timestamp_ms,
        agent: intent.actor.agent,
        session: intent.actor.session,
        run: intent.actor.run,
        node: intent.actor.node,
        step: intent.actor.step,
        tool: intent.tool,
        path: intent.path.to_string(),
        from: intent.origin.map(|origin| origin.path.to_string()),
        target: intent.target.map(|target| target.to_string()),
        before,
        after: intent.after.map(|digest| digest.to_string()),
        outcome,
        overlay: intent.source.as_ref().map(|source| source.overlay.to_string()),
        authors: intent.source.map(|source| source.authors).unwrap_or_default(),
    }
}
