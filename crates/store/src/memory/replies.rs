//! Replies in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use piton_core::Digest;
use piton_core::port::Clock;

use crate::LeaseName;
use crate::bounds::{
    REPLIES_PER_CLIENT_MAX, REPLY_BYTES_PER_CLIENT_MAX, REPLY_CLIENTS_MAX, REPLY_TIME, check_size,
};
use crate::port::{Hold, Replies, ReplyClaim, ReplyKey, StoreFuture};

/// Replies in memory. Clones share them, as processes would.
#[derive(Clone)]
pub struct MemoryReplies {
    clock: Arc<dyn Clock>,
    clients: Arc<Mutex<BTreeMap<Digest, ClientReplies>>>,
    claims: Arc<Mutex<BTreeSet<ReplyKey>>>,
}

struct Claim {
    claims: Arc<Mutex<BTreeSet<ReplyKey>>>,
    key: ReplyKey,
}

impl Hold for Claim {}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[derive(Default)]
struct ClientReplies {
    /// Entries with the number of the `keep` that stored them.
    entries: BTreeMap<LeaseName, (u64, Vec<u8>)>,
    next: u64,
    kept_at: Duration,
}

impl ClientReplies {
    fn bytes(&self) -> usize {
        self.entries.values().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Removes the oldest entries, but not `kept`, until the rest is within bounds.
    fn make_room(&mut self, kept: &LeaseName) {
        while self.entries.len() > REPLIES_PER_CLIENT_MAX
            || self.bytes() > REPLY_BYTES_PER_CLIENT_MAX
        {
            let others = self.entries.iter().filter(|(name, _)| *name != kept);
            let oldest = others.min_by_key(|(_, (number, _))| *number);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else { return };
            self.entries.remove(&name);
        }
    }
}

impl MemoryReplies {
    /// Creates an empty store; time is measured by `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, clients: Arc::default(), claims: Arc::default() }
    }

    /// Returns the clients for which something was kept lately. Expired ones are removed first.
    fn clients(&self) -> MutexGuard<'_, BTreeMap<Digest, ClientReplies>> {
        let now = self.clock.monotonic();
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, client| now.saturating_sub(client.kept_at) < REPLY_TIME);
        clients
    }
}

impl Replies for MemoryReplies {
    fn keep<'a>(&'a self, key: &'a ReplyKey, bytes: Vec<u8>) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_size("a reply", bytes.len(), REPLY_BYTES_PER_CLIENT_MAX)?;
            let mut clients = self.clients();
            if !clients.contains_key(&key.client) && clients.len() >= REPLY_CLIENTS_MAX {
                let oldest = clients.iter().min_by_key(|(_, client)| client.kept_at);
                if let Some(client) = oldest.map(|(client, _)| *client) {
                    clients.remove(&client);
                }
            }
            let client = clients.entry(key.client).or_default();
            client.next += 1;
            client.kept_at = self.clock.monotonic();
            client.entries.insert(key.name.clone(), (client.next, bytes));
            client.make_room(&key.name);
            Ok(())
        })
    }

    fn get<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let clients = self.clients();
            let entry = clients.get(&key.client).and_then(|client| client.entries.get(&key.name));
            Ok(entry.map(|(_, bytes)| bytes.clone()))
        })
    }

    fn claim<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<ReplyClaim>> {
        Box::pin(async move {
            let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = claims.insert(key.clone());
            let claim = || Claim { claims: Arc::clone(&self.claims), key: key.clone() };
            Ok(is_new.then(|| ReplyClaim::new(Box::new(claim()))))
        })
    }

    fn forget(&self, client: Digest) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.clients().remove(&client);
            Ok(())
        })
    }
}
