//! The context of one project directory: the ports that it is kept in, and how they are asked.

use std::sync::Arc;

use piton_core::port::Clock;
use piton_store::port::{
    Batch, Blobs, EntryChange, Expect, Key, Leases, Table, TableEntry, TableWrite,
};

use crate::{Error, ProjectId, bounds::PAGE, rows::keys::ProjectKeys, synthesis::Registry};

/// What context is kept in.
#[derive(Clone)]
pub struct ContextPorts {
    /// Trees, frames, heads and indices.
    pub table: Arc<dyn Table>,
    /// Contents that are too large for the table.
    pub blobs: Arc<dyn Blobs>,
    /// Who regenerates.
    pub leases: Arc<dyn Leases>,
    /// The time that people are shown.
    pub clock: Arc<dyn Clock>,
}

/// The context of one project directory.
///
/// It holds no state of its own: every call reads what is stored, so that any number of processes can use one data
/// directory at once.
#[derive(Clone)]
pub struct Context {
    pub(crate) ports: ContextPorts,
    pub(crate) project: ProjectId,
    pub(crate) keys: ProjectKeys,
    pub(crate) registry: Arc<Registry>,
    /// Why nobody looked whether the current tree is what is on disk, if that was to be done and failed.
    pub(crate) unchecked: Option<Arc<str>>,
}

impl Context {
    /// The context of `project`.
    pub fn new(ports: ContextPorts, project: ProjectId) -> Self {
        Self {
            ports,
            project,
            keys: ProjectKeys(project),
            registry: Arc::default(),
            unchecked: None,
        }
    }

    /// The same context, with policies and orders that a program registered.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = Arc::new(registry);
        self
    }

    /// Whose context it is.
    pub fn project(&self) -> ProjectId {
        self.project
    }

    pub(crate) async fn row(&self, key: &[u8]) -> Result<Option<TableEntry>, Error> {
        Ok(self.ports.table.get(key).await?)
    }

    /// The rows of several keys, read together.
    pub(crate) async fn rows_of<const COUNT: usize>(
        &self,
        keys: [Key; COUNT],
    ) -> Result<[Option<TableEntry>; COUNT], Error> {
        let rows = self.ports.table.get_all(keys.to_vec()).await?;
        Ok(rows.try_into().expect("there is an answer for each key"))
    }

    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), Error> {
        self.ports.table.commit(batch).await?;
        Ok(())
    }

    /// Up to a page of rows whose keys start with `prefix`, after `after`; whether there are more.
    pub(crate) async fn page(
        &self,
        prefix: &[u8],
        after: Option<&[u8]>,
    ) -> Result<(Vec<TableEntry>, bool), Error> {
        let page = self.ports.table.scan(prefix, after, PAGE).await?;
        Ok((page.entries, page.more))
    }

    /// All rows whose keys start with `prefix`, in order. For what is bounded by one path or one basis.
    pub(crate) async fn rows(&self, prefix: &[u8]) -> Result<Vec<TableEntry>, Error> {
        let mut all: Vec<TableEntry> = Vec::new();
        loop {
            let after = all.last().map(|entry| Arc::clone(&entry.key));
            let (entries, more) = self.page(prefix, after.as_deref()).await?;
            all.extend(entries);
            if !more {
                return Ok(all);
            }
        }
    }
}

/// A write that depends on nothing.
pub(crate) fn put(key: Key, value: Vec<u8>) -> TableWrite {
    TableWrite { key, expect: Expect::Anything, change: EntryChange::Put(value) }
}

/// A write that happens only if the row is as it was read.
pub(crate) fn put_after(key: Key, read: Option<&TableEntry>, value: Vec<u8>) -> TableWrite {
    TableWrite { key, expect: as_read(read), change: EntryChange::Put(value) }
}

/// A row is removed if it is as it was read.
pub(crate) fn remove_after(read: &TableEntry) -> TableWrite {
    TableWrite {
        key: Arc::clone(&read.key),
        expect: Expect::Version(read.version),
        change: EntryChange::Remove,
    }
}

/// A row must be as it was read, and stays so.
pub(crate) fn keep(key: Key, read: Option<&TableEntry>) -> TableWrite {
    TableWrite { key, expect: as_read(read), change: EntryChange::Keep }
}

fn as_read(read: Option<&TableEntry>) -> Expect {
    read.map_or(Expect::Absent, |entry| Expect::Version(entry.version))
}
