//! Replies as files below `run/replies`, in one directory per client.
//!
//! A file is the 32 bytes of its content's SHA-256, then the content. It is renamed into place without a sync: if a
//! power cut takes a reply, all that the client can do is to make the call again. A damaged file counts as missing.
//!
//! The time since a directory changed is the time since something was kept for its client.
//!
//! A claim is a locked file below `run/calls`, and the file is removed when the claim ends. The next process that
//! claims anything removes what a dead process left there.
//!
//! Limitations: another process that keeps something for the same client at the same moment may find one entry more, or
//! one less, than the bounds say.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use piton_core::Digest;

use super::DataDir;
use super::disk::{Disk, FileLock, Stat};
use super::file_ops::{DIGEST_BYTES, names_in, read_unsynced, remove, remove_all, write_unsynced};
use crate::bounds::{
    REPLIES_PER_CLIENT_MAX, REPLY_BYTES_PER_CLIENT_MAX, REPLY_CLIENTS_MAX, REPLY_TIME, check_size,
};
use crate::port::{Hold, Replies, ReplyClaim, ReplyKey, StoreFuture};
use crate::{Error, threads};

/// Replies under a data directory.
#[derive(Clone)]
pub struct LocalReplies {
    dir: DataDir,
    /// Tells apart the unfinished files of this process.
    counter: Arc<AtomicU64>,
    /// Set once the claims of dead processes were removed.
    is_swept: Arc<AtomicBool>,
}

/// A claim. Its file is removed before its lock is released, so that no other process's file is removed.
struct ClaimFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    _lock: Box<dyn FileLock>,
}

impl Hold for ClaimFile {}

impl Drop for ClaimFile {
    fn drop(&mut self) {
        // A file that stays will simply be locked the next time.
        let _ = remove(self.disk.as_ref(), &self.path);
    }
}

impl LocalReplies {
    /// Creates the store for replies under `dir`.
    pub fn new(dir: DataDir) -> Self {
        Self { dir, counter: Arc::default(), is_swept: Arc::default() }
    }

    fn disk(&self) -> &dyn Disk {
        self.dir.disk().as_ref()
    }

    fn client_dir(&self, client: Digest) -> PathBuf {
        self.dir.replies().join(client.hex())
    }

    fn get_blocking(&self, key: &ReplyKey) -> io::Result<Option<Vec<u8>>> {
        let dir = self.client_dir(key.client);
        // The directory's age decides for all its entries: they expire together.
        match self.disk().stat(&dir)? {
            Some(stat) if stat.age < REPLY_TIME => {}
            _ => return Ok(None),
        }
        read_unsynced(self.disk(), &dir.join(key.name.as_str()), REPLY_BYTES_PER_CLIENT_MAX)
    }

    fn keep_blocking(&self, key: &ReplyKey, content: &[u8]) -> io::Result<()> {
        let (disk, dir) = (self.disk(), self.client_dir(key.client));
        match disk.stat(&dir)? {
            Some(stat) if stat.age < REPLY_TIME => {}
            found => {
                // Expired entries must not come back to life because the directory becomes young again.
                if found.is_some() {
                    remove_all(disk, &dir)?;
                }
                self.begin_client(&dir)?;
            }
        }
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        write_unsynced(disk, &dir.join(key.name.as_str()), number, content)?;
        self.make_room(&dir, key.name.as_str())
    }

    fn claim_blocking(&self, key: &ReplyKey) -> io::Result<Option<ReplyClaim>> {
        let dir = self.dir.reply_claims();
        if !self.is_swept.load(Ordering::Relaxed) {
            for parent in dir.parent().into_iter().chain([dir.as_path()]) {
                self.disk().create_dir(parent)?;
            }
            // Locking and dropping a claim removes its file. One that is held by a living process cannot be locked, and
            // stays.
            for name in names_in(self.disk(), &dir)? {
                drop(self.lock_claim(dir.join(name))?);
            }
            // Only now: after a failure, the next claim tries again.
            self.is_swept.store(true, Ordering::Relaxed);
        }
        // Half of the client's digest tells clients apart, and leaves room for the name of the entry.
        let client = key.client.hex();
        let name = format!("{}-{}", &client[..client.len() / 2], key.name.as_str());
        let claim = self.lock_claim(dir.join(name))?;
        Ok(claim.map(|claim| ReplyClaim::new(Box::new(claim))))
    }

    fn lock_claim(&self, path: PathBuf) -> io::Result<Option<ClaimFile>> {
        let lock = self.disk().lock(&path, true)?;
        Ok(lock.map(|lock| ClaimFile { disk: Arc::clone(self.dir.disk()), path, _lock: lock }))
    }

    /// Creates the directory of a client, and makes room for it by removing those of clients that did not come back.
    fn begin_client(&self, dir: &Path) -> io::Result<()> {
        let (disk, replies) = (self.disk(), self.dir.replies());
        for parent in replies.parent().into_iter().chain([replies.as_path()]) {
            disk.create_dir(parent)?;
        }
        let mut clients = self.by_age(&replies)?;
        let mut excess = (clients.len() + 1).saturating_sub(REPLY_CLIENTS_MAX);
        // From the oldest on: those that expired go in any case, and younger ones only while there are too many.
        clients.reverse();
        for (stat, name) in clients {
            if stat.age < REPLY_TIME && excess == 0 {
                break;
            }
            excess = excess.saturating_sub(1);
            remove_all(disk, &replies.join(name))?;
        }
        disk.create_dir(dir)
    }

    /// Removes the oldest entries, but not `kept`, until the rest is within bounds.
    fn make_room(&self, dir: &Path, kept: &str) -> io::Result<()> {
        let mut entries = self.by_age(dir)?;
        // The sort is stable: behind the entry that was kept just now, the others stay in order of age.
        entries.sort_by_key(|(_, name)| name != kept);
        let mut bytes = 0;
        for (place, (stat, name)) in entries.iter().enumerate() {
            bytes += stat.len.saturating_sub(DIGEST_BYTES as u64);
            let is_within =
                place < REPLIES_PER_CLIENT_MAX && bytes <= REPLY_BYTES_PER_CLIENT_MAX as u64;
            if !is_within {
                remove(self.disk(), &dir.join(name))?;
            }
        }
        Ok(())
    }

    /// Lists the contents of a directory, the youngest first.
    fn by_age(&self, dir: &Path) -> io::Result<Vec<(Stat, String)>> {
        let mut found = Vec::new();
        for name in names_in(self.disk(), dir)? {
            // Another process may have removed it.
            if let Some(stat) = self.disk().stat(&dir.join(&name))? {
                found.push((stat, name));
            }
        }
        found.sort_by_key(|(stat, _)| stat.age);
        Ok(found)
    }
}

impl Replies for LocalReplies {
    fn keep<'a>(&'a self, key: &'a ReplyKey, bytes: Vec<u8>) -> StoreFuture<'a, ()> {
        let (own, key) = (self.clone(), key.clone());
        Box::pin(threads::nearby(move || {
            check_size("a reply", bytes.len(), REPLY_BYTES_PER_CLIENT_MAX)?;
            own.keep_blocking(&key, &bytes).map_err(Error::io("keep a reply"))
        }))
    }

    fn get<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<Vec<u8>>> {
        let (own, key) = (self.clone(), key.clone());
        Box::pin(threads::nearby(move || {
            own.get_blocking(&key).map_err(Error::io("read a reply that was kept"))
        }))
    }

    fn claim<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<ReplyClaim>> {
        let (own, key) = (self.clone(), key.clone());
        Box::pin(threads::nearby(move || {
            own.claim_blocking(&key).map_err(Error::io("claim a reply"))
        }))
    }

    fn forget(&self, client: Digest) -> StoreFuture<'_, ()> {
        let own = self.clone();
        Box::pin(threads::nearby(move || {
            remove_all(own.disk(), &own.client_dir(client))
                .map_err(Error::io("forget kept replies"))
        }))
    }
}
