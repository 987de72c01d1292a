//! Follows a project directory while it is edited.
//!
//! The operating system reports which directories changed; these are listed again, and nothing else is examined. If it
//! cannot tell, because too much happened at once, everything is scanned.
//!
//! *Invariants*: a directory is watched before it is scanned for the last time, so nothing that happens in it is
//! missed. Following only reads files and records trees; it never makes a frame.
//!
//! *Limitations*: a change that raises no file system event, as on some network file systems, is seen only by the next
//! full scan.
#![expect(
    clippy::disallowed_methods,
    reason = "waits for the system's notices, for so long and no longer"
)]

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::event::AccessKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use serde::Serialize;

use crate::bounds::{DIRTY_MAX, QUIET, QUIET_LONGEST};
use crate::history::{Recorded, RootEntry, RootRef};
use crate::scan::{ScanScope, Scanner};
use crate::tree::{Directory, TreeChange, TreeNode, TreeNodeId, TreePath};
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

/// Watches the directories of a tree.
pub struct Watcher {
    root: PathBuf,
    notices: Receiver<notify::Result<Event>>,
    inner: RecommendedWatcher,
    watched: BTreeSet<TreePath>,
    /// Directories that were watched only after they were scanned.
    late: BTreeSet<TreePath>,
}

impl Watcher {
    /// Creates a watcher of `root` that watches no directory yet.
    pub fn new(root: &Path) -> Result<Self, Error> {
        let (tell, notices) = channel();
        let told = move |notice| {
            // If the receiver is gone, no one needs the notification.
            let _ = tell.send(notice);
        };
        let inner = notify::recommended_watcher(told).map_err(|error| failed(root, &error))?;
        // Notifications carry the path that was watched, so it must be the canonical one.
        let root = std::fs::canonicalize(root).map_err(|error| Error::Unscannable {
            path: root.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Self { root, notices, inner, watched: BTreeSet::new(), late: BTreeSet::new() })
    }

    /// Watches exactly the directories of `tree`. The next call of [`wait`](Self::wait) reports the new ones as
    /// changed.
    pub fn follow(&mut self, tree: &Directory) -> Result<(), Error> {
        let mut wanted = BTreeSet::from([TreePath::root()]);
        tree.walk(&TreePath::root(), &mut |path, node| {
            if matches!(node, TreeNode::Directory(_)) {
                wanted.insert(path.clone());
            }
        });
        for path in self.watched.difference(&wanted) {
            // The system has already forgotten a directory that is gone.
            let _ = self.inner.unwatch(&self.full(path));
        }
        let new: Vec<TreePath> = wanted.difference(&self.watched).cloned().collect();
        let mut added = self.watched.intersection(&wanted).cloned().collect::<BTreeSet<_>>();
        for path in new {
            match self.inner.watch(&self.full(&path), RecursiveMode::NonRecursive) {
                Ok(()) => {
                    // Changes between its scan and this watch went unnoticed, so it must be scanned once more.
                    self.late.insert(path.clone());
                    added.insert(path);
                }
                // It is gone again. Its parent directory gets a notification about that.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(failed(&self.root, &error)),
            }
        }
        self.watched = added;
        Ok(())
    }

    /// Waits until something changed and it is quiet again. Returns `None` if nothing changes for `patience`. Blocks.
    pub fn wait(&mut self, patience: Duration) -> Option<ScanScope> {
        let mut dirty = Dirty::default();
        dirty.add(std::mem::take(&mut self.late));
        let began = Instant::now();
        let mut changed = None;
        loop {
            if !dirty.is_empty() {
                changed = changed.or_else(|| Some(Instant::now()));
            }
            let left = remaining(patience, began.elapsed(), changed.map(|at| at.elapsed()));
            match self.notices.recv_timeout(left) {
                Ok(notice) => self.take(notice, &mut dirty),
                Err(RecvTimeoutError::Timeout) if dirty.is_empty() => return None,
                Err(_) => return Some(dirty.scope()),
            }
        }
    }

    fn take(&self, notice: notify::Result<Event>, dirty: &mut Dirty) {
        let event = match notice {
            // The queue of the system overflowed, so the changes are unknown.
            Ok(event) if event.need_rescan() => return dirty.lost(),
            Ok(event) => event,
            Err(_) => return dirty.lost(),
        };
        let only_read = matches!(event.kind, EventKind::Access(kind)
            if !matches!(kind, AccessKind::Close(notify::event::AccessMode::Write)));
        if only_read {
            return;
        }
        for path in &event.paths {
            let below = path.strip_prefix(&self.root).ok();
            let path = below.and_then(|below| TreePath::new(below.as_os_str().as_bytes()).ok());
            if let Some(path) = path {
                dirty.path(&path, self.watched.contains(&path));
            }
        }
    }

    fn full(&self, path: &TreePath) -> PathBuf {
        self.root.join(std::ffi::OsStr::from_bytes(path.as_bytes()))
    }
}

/// Returns the time to wait for the next notification, given the time waited so far and the time since the first
/// change, if any.
fn remaining(patience: Duration, waited: Duration, changed: Option<Duration>) -> Duration {
    match changed {
        None => patience.saturating_sub(waited),
        Some(collected) => QUIET.min(QUIET_LONGEST.saturating_sub(collected)),
    }
}

fn is_gone(error: &notify::Error) -> bool {
    matches!(&error.kind, notify::ErrorKind::Io(error)
        if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory))
}

fn failed(root: &Path, error: &notify::Error) -> Error {
    Error::Unscannable { path: root.display().to_string(), reason: error.to_string() }
}

/// Directories with changes in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Dirty {
    directories: BTreeSet<TreePath>,
    /// Set when some changes are unknown.
    lost: bool,
}

impl Dirty {
    /// Records a change at a path. It may have appeared or vanished, and if it is a directory, its entries may have
    /// changed.
    fn path(&mut self, path: &TreePath, is_directory: bool) {
        self.directories.extend(path.parent());
        if is_directory || path.is_root() {
            self.directories.insert(path.clone());
        }
        if self.directories.len() > DIRTY_MAX {
            self.lost();
        }
    }

    /// Records that something changed at an unknown place.
    fn lost(&mut self) {
        self.lost = true;
        self.directories.clear();
    }

    /// Adds more changed directories.
    fn add(&mut self, directories: impl IntoIterator<Item = TreePath>) {
        self.directories.extend(directories);
    }

    fn is_empty(&self) -> bool {
        !self.lost && self.directories.is_empty()
    }

    /// Returns the scope that must be scanned.
    fn scope(self) -> ScanScope {
        if self.lost { ScanScope::Everything } else { ScanScope::Only(self.directories.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // shows in part: CT-082 (the part that it waits until it is quiet)
    #[test]
    fn changes_are_collected_until_it_is_quiet_however_long_nothing_happened_before() {
        let ms = Duration::from_millis;
        let patience = ms(60_000);
        for (waited, changed, expected) in [
            (ms(0), None, patience),
            (ms(59_000), None, ms(1_000)),
            (ms(61_000), None, ms(0)),
            (ms(59_000), Some(ms(0)), QUIET),
            (ms(59_000), Some(QUIET_LONGEST.saturating_sub(ms(10))), ms(10)),
            (ms(59_000), Some(QUIET_LONGEST + ms(10)), ms(0)),
        ] {
            assert_eq!(remaining(patience, waited, changed), expected, "{waited:?} {changed:?}");
        }
    }

    fn path(text: &str) -> TreePath {
        text.parse().unwrap()
    }

    // shows in part: CT-082 (the part that an overflow falls back to a scan)
    #[test]
    fn what_changed_is_its_directories_until_it_is_too_much() {
        let mut dirty = Dirty::default();
        assert!(dirty.is_empty());
        dirty.path(&path("a/b/c"), false);
        dirty.path(&path("a/d"), true);
        dirty.path(&path("a/b/e"), false);
        let ScanScope::Only(paths) = dirty.clone().scope() else { panic!("everything") };
        assert_eq!(*paths, [path("a"), path("a/b"), path("a/d")].into_iter().collect());
        for number in 0..=DIRTY_MAX {
            dirty.path(&path(&format!("many/{number}/x")), false);
        }
        assert!(matches!(dirty.scope(), ScanScope::Everything));
        let mut lost = Dirty::default();
        lost.lost();
        assert!(!lost.is_empty() && matches!(lost.scope(), ScanScope::Everything));
    }
}
