//! Records a project directory as it changes, notifies subscribers, and formats the changes as lines of JSON.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Watcher;
use crate::history::{Recorded, RootEntry, RootRef};
use crate::scan::{ScanScope, Scanner};
use crate::tree::{TreeChange, TreeNodeId};
use crate::{Context, Error};

/// A callback for every recorded tree, with the old and new ids of what changed.
pub type Subscriber = Arc<dyn Fn(&Recorded) + Send + Sync>;

/// Follows one project directory.
pub struct Follower {
    context: Context,
    scanner: Scanner,
    watcher: Watcher,
    subscribers: Vec<Subscriber>,
    /// The tree that subscribers were last notified of. Other processes record trees as well.
    told: RootEntry,
    /// Set when a change was noticed but not recorded, because something failed.
    behind: bool,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Follower({:?}, {:?})", self.scanner.root(), self.watcher)
    }
}

impl Follower {
    /// Starts watching the directory of `context`, and records the current tree.
    pub async fn start(context: Context) -> Result<(Self, Recorded), Error> {
        let mut scanner = context.scanner();
        let mut watcher = Watcher::new(scanner.root())?;
        let found = scanner.scan(false)?;
        // Watch before recording; directories that changed between scan and watch are scanned again by the next step.
        watcher.follow(&found.tree)?;
        let recorded = context.record(&found.tree, found.report.is_partial(), None).await?;
        let told = recorded.root.clone();
        Ok((
            Self { context, scanner, watcher, subscribers: Vec::new(), told, behind: false },
            recorded,
        ))
    }

    /// Notifies `subscriber` of every tree that is recorded from now on.
    pub fn subscribe(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
    }

    /// Waits for a change for at most `patience`, and records it. Returns `None` if nothing in the tree changed.
    ///
    /// A failure loses nothing: the next call scans everything, whether something changes meanwhile or not.
    pub async fn step(&mut self, patience: Duration) -> Result<Option<Recorded>, Error> {
        let scope = match self.watcher.wait(patience) {
            _ if self.behind => ScanScope::Everything,
            None => return Ok(None),
            Some(scope) => scope,
        };
        // Stays set if the next line fails, so that the change is not forgotten.
        self.behind = true;
        let recorded = self.take_in(&scope).await?;
        self.behind = false;
        Ok(recorded)
    }

    async fn take_in(&mut self, scope: &ScanScope) -> Result<Option<Recorded>, Error> {
        let scanned = self.scanner.scan_only(scope, false)?;
        self.watcher.follow(&scanned.tree)?;
        let partial = scanned.report.is_partial();
        let mut recorded = self.context.record(&scanned.tree, partial, None).await?;
        let (before, now) = (&self.told, &recorded.root);
        if before.root == now.root {
            return Ok(None);
        }
        if recorded.changes.is_empty() || now.sequence != before.sequence + 1 {
            // Another process recorded the change, or a part of it.
            let [before, now] = [before, now].map(|root| RootRef::Digest(root.root.digest().hex()));
            recorded.changes = self.context.diff(&before, &now).await?;
        }
        self.told = recorded.root.clone();
        for subscriber in &self.subscribers {
            subscriber(&recorded);
        }
        Ok(Some(recorded))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WatchLine<'a> {
    sequence: u64,
    root: TreeNodeId,
    #[serde(flatten)]
    change: &'a TreeChange,
}

/// Returns one line for each path that changed.
pub fn json_lines(recorded: &Recorded) -> String {
    let mut text = String::new();
    for change in &recorded.changes {
        let line = WatchLine { sequence: recorded.root.sequence, root: recorded.root.root, change };
        text.push_str(&serde_json::to_string(&line).expect("it has texts and numbers only"));
        text.push('\n');
    }
    text
}
