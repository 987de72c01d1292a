//! The scope for nodes of a flow, whose calls wait for the disk where they must.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use piton_core::Provenance;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::backpack::Mode;
use super::writer::JournalWriter;
use crate::bounds::{BUFFERED_COMMITS_MAX, WAITING_READS_MAX};
use crate::commit_id::CommitId;
use crate::error::Error;
use crate::filter::Filter;
use crate::item::Item;
use crate::node_identity::NodeIdentity;
use crate::observer::Committed;
use crate::pack_options::PackOptions;
use crate::scope::Scope;
use crate::text::Key;
use crate::write_outcome::WriteOutcome;

/// A backpack as one node sees it, with or without a journal behind it. Cheap to clone; clones act as the same node.
///
/// A cancelled call either happened in memory or did not. If it did, its commit reaches the disk with the next write or
/// flush.
#[derive(Clone)]
pub struct AsyncScope {
    scope: Scope,
    journal: Option<(Arc<JournalWriter>, Mode)>,
    log: Option<ChangeLog>,
}

/// The last commit that changed each key through the scopes that write into this log. Clones share the log.
#[derive(Clone, Debug, Default)]
pub struct ChangeLog(Arc<Mutex<BTreeMap<Key, CommitId>>>);

impl ChangeLog {
    /// Returns everything logged so far.
    pub fn get(&self) -> BTreeMap<Key, CommitId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes everything logged so far out of the log.
    pub fn take(&self) -> BTreeMap<Key, CommitId> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, key: &str, outcome: &Result<WriteOutcome, Error>) {
        let Ok(Some(commit)) = outcome.as_ref().map(|outcome| outcome.done()) else { return };
        let key = Key::parse(key).expect("the key was written");
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, commit);
    }
}

impl From<Scope> for AsyncScope {
    /// Wraps a scope without a journal, for asynchronous code. No call ever waits.
    fn from(scope: Scope) -> Self {
        Self { scope, journal: None, log: None }
    }
}

impl AsyncScope {
    pub(super) fn new(scope: Scope, journal: Option<(Arc<JournalWriter>, Mode)>) -> Self {
        Self { scope, journal, log: None }
    }

    /// Returns the node that acts through this scope.
    pub fn identity(&self) -> &NodeIdentity {
        self.scope.identity()
    }

    /// See [`Scope::at_step`].
    #[must_use]
    pub fn at_step(self, provenance: Option<Provenance>) -> Self {
        Self { scope: self.scope.at_step(provenance), ..self }
    }

    /// Logs all changes of keys through this scope.
    #[must_use]
    pub fn logged(self, log: ChangeLog) -> Self {
        Self { log: Some(log), ..self }
    }

    /// See [`Scope::pack`].
    pub async fn pack<T>(&self, key: &str, value: &T) -> Result<WriteOutcome, Error>
    where
        T: Serialize + Sync + ?Sized,
    {
        self.changed(key, self.scope.pack(key, value)).await
    }

    /// See [`Scope::pack_with`].
    pub async fn pack_with<T>(
        &self,
        key: &str,
        value: &T,
        options: &PackOptions,
    ) -> Result<WriteOutcome, Error>
    where
        T: Serialize + Sync + ?Sized,
    {
        self.changed(key, self.scope.pack_with(key, value, options)).await
    }

    /// See [`Scope::delete`].
    pub async fn delete(&self, key: &str) -> Result<WriteOutcome, Error> {
        self.changed(key, self.scope.delete(key)).await
    }

    /// See [`Scope::quarantine`].
    pub async fn quarantine(&self, key: &str, reason: &str) -> Result<WriteOutcome, Error> {
        self.changed(key, self.scope.quarantine(key, reason)).await
    }

    /// See [`Scope::quarantine_without_trace`].
    pub async fn quarantine_without_trace(
        &self,
        key: &str,
        reason: &str,
    ) -> Result<WriteOutcome, Error> {
        self.changed(key, self.scope.quarantine_without_trace(key, reason)).await
    }

    /// See [`Scope::quarantine_value`].
    pub async fn quarantine_value<T>(
        &self,
        key: &str,
        value: &T,
        reason: &str,
    ) -> Result<WriteOutcome, Error>
    where
        T: Serialize + Sync + ?Sized,
    {
        self.written(self.scope.quarantine_value(key, value, reason)).await
    }

    /// See [`Scope::unpack`].
    pub async fn unpack<T: DeserializeOwned + Send>(&self, key: &str) -> Result<Option<T>, Error> {
        self.read(self.scope.unpack(key)).await
    }

    /// See [`Scope::unpack_required`].
    pub async fn unpack_required<T: DeserializeOwned + Send>(&self, key: &str) -> Result<T, Error> {
        self.read(self.scope.unpack_required(key)).await
    }

    /// See [`Scope::item`].
    pub async fn item(&self, key: &str) -> Result<Option<Arc<Item>>, Error> {
        self.read(self.scope.item(key)).await
    }

    /// See [`Scope::unpack_by_namespace`].
    pub async fn unpack_by_namespace<T: DeserializeOwned + Send>(
        &self,
        pattern: &str,
    ) -> Result<Vec<(Key, T)>, Error> {
        self.read(self.scope.unpack_by_namespace(pattern)).await
    }

    /// See [`Scope::items_by_namespace`].
    pub async fn items_by_namespace(&self, pattern: &str) -> Result<Vec<Arc<Item>>, Error> {
        self.read(self.scope.items_by_namespace(pattern)).await
    }

    /// See [`Scope::peek`].
    pub async fn peek<T: DeserializeOwned + Send>(&self, key: &str) -> Result<Option<T>, Error> {
        self.read(self.scope.peek(key)).await
    }

    /// See [`Scope::peek_item`].
    pub async fn peek_item(&self, key: &str) -> Result<Option<Arc<Item>>, Error> {
        self.read(self.scope.peek_item(key)).await
    }

    /// See [`Scope::history`]. It reaches back as far as memory does.
    pub fn history(&self, filter: &Filter) -> Result<Vec<Committed>, Error> {
        self.scope.history(filter)
    }

    /// See [`Scope::keys`].
    pub fn keys(&self) -> Vec<Key> {
        self.scope.keys()
    }

    /// Logs a change and waits for the disk.
    async fn changed(
        &self,
        key: &str,
        outcome: Result<WriteOutcome, Error>,
    ) -> Result<WriteOutcome, Error> {
        // The change has happened in memory. Log it before the first await, where the caller may drop this future.
        if let Some(log) = &self.log {
            log.add(key, &outcome);
        }
        self.written(outcome).await
    }

    /// Waits for the disk as the mode requires.
    async fn written(&self, outcome: Result<WriteOutcome, Error>) -> Result<WriteOutcome, Error> {
        let (Some((writer, mode)), Ok(outcome)) = (&self.journal, &outcome) else {
            return outcome;
        };
        match (mode, outcome) {
            (Mode::Durable, WriteOutcome::Done(commit)) => {
                writer.wait_durable(commit.number()).await?;
            }
            // Refusals and buffered writes do not wait, but the queue must not grow without bound.
            _ if writer.waiting() >= BUFFERED_COMMITS_MAX => writer.flush().await?,
            _ => {}
        }
        Ok(*outcome)
    }

    /// Waits for the disk only if very many reads are waiting to be recorded.
    async fn read<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if let Some((writer, _)) = &self.journal
            && writer.waiting() >= WAITING_READS_MAX
        {
            writer.flush().await?;
        }
        outcome
    }
}
