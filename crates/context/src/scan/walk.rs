//! Walks a directory on several threads. Each of them lists directories and examines their entries.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use piton_core::{Digest, FileBytes};
use rustix::fs::FileType;
use rustix::io::Errno;

use super::disk;
use super::disk::{Listed, list};
use super::ignore_rules::{RULE_FILES, Rules};
use super::open_directory::{KnownEntry, OpenDirectory};
use super::scanner::{ProblemKind, ScanProblem, ScanReport, ScanScope};
use super::stamp_file::Remembered;
use super::task_queue::TaskQueue;
use crate::bounds::EXAMINED_AT_ONCE;
use crate::tree::{Directory, Name, TreeNode, TreePath};

/// A unit of work of a scan.
pub(super) enum ScanTask {
    /// Starts with the topmost directory.
    Root(OwnedFd),
    /// Opens a directory below another one and lists it.
    Enter(Arc<OpenDirectory>, Name),
    /// Examines some entries of a directory.
    Examine(Arc<OpenDirectory>, Vec<Listed>),
}

/// Walks the directory `root` and returns its tree and a report.
///
/// Fails only if the topmost directory cannot be listed. Everything else that cannot be read is in the report.
pub(super) fn walk(
    root: OwnedFd,
    remembered: &Remembered,
    scope: &ScanScope,
    threads: usize,
) -> Result<(Arc<Directory>, ScanReport), Errno> {
    let queue = TaskQueue::new(ScanTask::Root(root));
    let outcome = Mutex::new((None, ScanReport::default(), None));
    let work = || {
        let mut walker = Walker::new(remembered);
        queue.work(|task, more| match task {
            ScanTask::Root(fd) => walker.root(fd, remembered.root.clone(), scope.clone(), more),
            ScanTask::Enter(above, name) => walker.enter(&above, &name, more),
            ScanTask::Examine(site, listed) => walker.examine(&site, listed, more),
        });
        // Each thread merges its results once at the end, so the lock is never contended during the walk.
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.0 = outcome.0.take().or(walker.finished);
        outcome.1.absorb(walker.report);
        outcome.2 = outcome.2.or(walker.failed);
    };
    thread::scope(|scope| {
        // This thread works as well.
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let (tree, report, failed) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(error),
        None => Ok((tree.expect("every task was done, so the topmost directory is"), report)),
    }
}

/// State that a thread carries from task to task.
pub(super) struct Walker<'a> {
    pub(super) remembered: &'a Remembered,
    pub(super) report: ScanReport,
    /// Piece of the file that is being hashed; reused to save allocations.
    pub(super) buffer: Vec<u8>,
    /// Raw bytes of a directory listing; reused to save allocations.
    listing: Vec<u8>,
    /// Path of the entry that is being examined; reused to save allocations.
    pub(super) path: Vec<u8>,
    /// The complete tree, set by the thread that finishes the topmost directory.
    pub(super) finished: Option<Arc<Directory>>,
    /// Error of opening or listing the topmost directory.
    pub(super) failed: Option<Errno>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(remembered: &'a Remembered) -> Self {
        Self {
            remembered,
            report: ScanReport::default(),
            buffer: Vec::new(),
            listing: Vec::new(),
            path: Vec::new(),
            finished: None,
            failed: None,
        }
    }

    /// Starts with the topmost directory.
    pub(super) fn root(
        &mut self,
        fd: OwnedFd,
        known: Option<Arc<Directory>>,
        scope: ScanScope,
        more: &mut Vec<ScanTask>,
    ) {
        match self.begin(fd, Vec::new(), known, &Rules::default(), scope, None, more) {
            Ok(site) => self.done(&site),
            Err(error) => self.failed = Some(error),
        }
    }

    /// Opens the directory `name` and lists it.
    pub(super) fn enter(
        &mut self,
        above: &Arc<OpenDirectory>,
        name: &Name,
        more: &mut Vec<ScanTask>,
    ) {
        let path = Directory::entry_path(&above.path, name);
        let known = match above.known(name.as_bytes()) {
            Some((_, TreeNode::Directory(known))) => Some(Arc::clone(known)),
            _ => None,
        };
        let (scope, place) = (above.scope.clone(), Some((Arc::clone(above), name.clone())));
        let begun = disk::open_below(&above.fd, name.as_bytes())
            .and_then(|fd| self.begin(fd, path.clone(), known, &above.rules, scope, place, more));
        match begun {
            Ok(site) => self.done(&site),
            Err(error) => {
                // The parent still waits for this task, so complete it even though the directory is missing.
                self.trouble(&path, error);
                self.done(above);
            }
        }
    }

    /// Reads an open directory: its rules, then the entries that the rules leave.
    #[expect(
        clippy::too_many_arguments,
        reason = "these are the parts of a site that is made here"
    )]
    fn begin(
        &mut self,
        fd: OwnedFd,
        path: Vec<u8>,
        known: Option<Arc<Directory>>,
        rules: &Rules,
        scope: ScanScope,
        above: Option<(Arc<OpenDirectory>, Name)>,
        more: &mut Vec<ScanTask>,
    ) -> Result<Arc<OpenDirectory>, Errno> {
        // A directory outside the scope keeps its known entries and is not listed.
        let unread = known.clone().filter(|_| !scope.is_dirty(&path));
        let listed = match &unread {
            Some(_) => Vec::new(),
            None => list(&fd, &mut self.listing)?,
        };
        let has = |name: &[u8]| match &unread {
            Some(known) => known.entry(name).is_some(),
            None => listed.iter().any(|listed| *listed.name == *name),
        };
        let (rules, scope) = self.rules(&fd, &path, known.as_ref(), has, rules, scope);
        let site = Arc::new(OpenDirectory::new(fd, path, known, rules, scope, above));
        if let Some(known) = unread {
            self.keep_known(&site, &known, more);
            return Ok(site);
        }
        self.report.listed_directories += 1;
        let mut kept = self.leave_out(&site, listed).into_iter().peekable();
        // Large directories are examined in parts, so that other threads can share the work.
        let first: Vec<Listed> = kept.by_ref().take(EXAMINED_AT_ONCE).collect();
        while kept.peek().is_some() {
            let part = kept.by_ref().take(EXAMINED_AT_ONCE).collect();
            // Count each part before it is queued, so that the directory cannot be finished early.
            site.expect(1);
            more.push(ScanTask::Examine(Arc::clone(&site), part));
        }
        self.look_at(&site, first, more);
        Ok(site)
    }

    /// Examines some entries of a directory.
    pub(super) fn examine(
        &mut self,
        site: &Arc<OpenDirectory>,
        listed: Vec<Listed>,
        more: &mut Vec<ScanTask>,
    ) {
        self.look_at(site, listed, more);
        self.done(site);
    }

    /// Returns the rules that apply in a directory. If they changed since the last scan, everything below must be
    /// scanned.
    fn rules(
        &mut self,
        fd: &OwnedFd,
        path: &[u8],
        known: Option<&Arc<Directory>>,
        has: impl Fn(&[u8]) -> bool,
        above: &Rules,
        mut scope: ScanScope,
    ) -> (Rules, ScanScope) {
        let mut rules = above.clone();
        for (kind, name) in RULE_FILES.iter().enumerate() {
            let before = known.and_then(|known| match &known.entry(name)?.node {
                TreeNode::File(file) => Some(file.content),
                _ => None,
            });
            let mut now = None;
            if has(name) {
                let at = Name::new(name).expect("the names of rule files are names");
                let at = Directory::entry_path(path, &at);
                match disk::read_rules(fd, name) {
                    Ok(Some(text)) => {
                        now = Some(Digest::of(&FileBytes(&text)));
                        rules.add(kind, path, &text);
                    }
                    Ok(None) => {
                        let detail = "its rules were not applied".to_owned();
                        self.problem(&at, ProblemKind::IgnoreFileTooLarge, detail);
                    }
                    Err(error) => self.trouble(&at, error),
                }
            }
            if now != before {
                // Changed rules may admit or exclude any entry below, however deep.
                scope = ScanScope::Everything;
            }
        }
        (rules, scope)
    }

    /// Keeps the entries of the last scan, and enters only directories with changes in scope.
    fn keep_known(
        &mut self,
        site: &Arc<OpenDirectory>,
        known: &Arc<Directory>,
        more: &mut Vec<ScanTask>,
    ) {
        for (place, entry) in known.entries().iter().enumerate() {
            let path = Directory::entry_path(&site.path, &entry.name);
            if matches!(entry.node, TreeNode::Directory(_)) && site.scope.touches(&path) {
                site.expect(1);
                more.push(ScanTask::Enter(Arc::clone(site), entry.name.clone()));
            } else {
                self.report.reused_files += u64::from(matches!(entry.node, TreeNode::File(_)));
                site.add([KnownEntry::Known(place)]);
            }
        }
    }

    /// Removes the entries that the rules ignore from a listing.
    fn leave_out(&mut self, site: &OpenDirectory, mut listed: Vec<Listed>) -> Vec<Listed> {
        let before = listed.len();
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        if !site.path.is_empty() {
            path.extend_from_slice(&site.path);
            path.push(b'/');
        }
        let name_at = path.len();
        listed.retain(|entry| {
            path.truncate(name_at);
            path.extend_from_slice(&entry.name);
            !site.rules.ignores(&path, name_at, entry.file_type == FileType::Directory)
        });
        self.path = path;
        self.report.ignored_entries += (before - listed.len()) as u64;
        listed
    }

    /// Completes one of the tasks that a directory waits for.
    fn done(&mut self, site: &Arc<OpenDirectory>) {
        if let Some(tree) = site.done() {
            self.finished = Some(tree);
        }
    }

    /// Reports an entry that could not be read.
    pub(super) fn trouble(&mut self, path: &[u8], error: Errno) {
        let kind = if error == Errno::NOENT || error == Errno::NOTDIR {
            ProblemKind::Vanished
        } else {
            ProblemKind::Unreadable
        };
        self.problem(path, kind, std::io::Error::from(error).to_string());
    }

    pub(super) fn problem(&mut self, path: &[u8], kind: ProblemKind, detail: String) {
        // A path too long for a tree is reported by the longest valid prefix.
        let mut end = path.len();
        let path = loop {
            match TreePath::new(&path[..end]) {
                Ok(path) => break path,
                Err(_) => end = path[..end].iter().rposition(|byte| *byte == b'/').unwrap_or(0),
            }
        };
        self.report.problem(ScanProblem { path, kind, detail });
    }
}
