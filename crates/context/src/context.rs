//! The context of one project directory: its ports, and how they are accessed.

use std::path::PathBuf;
use std::sync::Arc;

use piton_core::port::Clock;
use piton_store::PagedScan;
use piton_store::port::{
    Batch, Blobs, EntryChange, Expect, Key, Leases, Table, TableEntry, TableWrite,
};

use crate::bounds::PAGE;
use crate::rows::ProjectKeys;
use crate::scan::Scanner;
use crate::synthesis::Registry;
use crate::{Error, ProjectId, ProjectLocation};

/// The ports that context is stored in.
#[derive(Clone)]
pub struct ContextPorts {
    /// Trees, frames, heads and indices.
    pub table: Arc<dyn Table>,
    /// Contents that are too large for the table.
    pub blobs: Arc<dyn Blobs>,
    /// Coordinates writers, regeneration and collection.
    pub leases: Arc<dyn Leases>,
    /// Source of the times that people are shown.
    pub clock: Arc<dyn Clock>,
    /// Directory for the stamps of scanners; `None` if they keep none.
    pub stamps: Option<PathBuf>,
}

/// The context of one project directory.
///
/// It holds no state of its own: every call reads what is stored, so any number of processes can use one data directory
/// at once.
#[derive(Clone)]
pub struct Context {
    pub(crate) ports: ContextPorts,
    pub(crate) location: ProjectLocation,
    /// Set when an agent's reads and writes check the project directory first.
    pub(crate) is_live: bool,
    pub(crate) project: ProjectId,
    pub(crate) keys: ProjectKeys,
    pub(crate) registry: Arc<Registry>,
    /// Reason that the current tree could not be compared with the disk, if that was requested and failed.
    pub(crate) unchecked: Option<Arc<str>>,
}

impl Context {
    /// Creates the context of the project at `location`. It works on the recorded trees, whatever the files are now.
    pub fn new(ports: ContextPorts, location: ProjectLocation) -> Self {
        let project = location.id();
        Self {
            ports,
            location,
            is_live: false,
            project,
            keys: ProjectKeys(project),
            registry: Arc::default(),
            unchecked: None,
        }
    }

    /// Checks the project directory before each read and write of an agent, and before each report about the current
    /// tree.
    #[must_use]
    pub fn live(mut self) -> Self {
        self.is_live = true;
        self
    }

    /// Adds the policies and orders that a program registered.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = Arc::new(registry);
        self
    }

    /// Returns the location of the project.
    pub fn location(&self) -> &ProjectLocation {
        &self.location
    }

    /// Creates a scanner of the project directory.
    pub fn scanner(&self) -> Scanner {
        let scanner = Scanner::new(self.location.directory());
        match &self.ports.stamps {
            Some(directory) => {
                scanner.with_stamps(directory.join(format!("{}.stamps", self.project)))
            }
            None => scanner,
        }
    }

    pub(crate) async fn row(&self, key: &[u8]) -> Result<Option<TableEntry>, Error> {
        Ok(self.ports.table.get(key).await?)
    }

    /// Reads the rows of several keys in one call.
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

    /// Scans the rows whose keys start with `prefix`, page by page.
    pub(crate) fn pages<'a>(&'a self, prefix: &'a [u8]) -> PagedScan<'a> {
        PagedScan::new(&*self.ports.table, prefix, PAGE)
    }

    /// Returns all rows whose keys start with `prefix`, in order. Meant for ranges that one path or one basis bounds.
    pub(crate) async fn rows(&self, prefix: &[u8]) -> Result<Vec<TableEntry>, Error> {
        let (mut all, mut pages) = (Vec::new(), self.pages(prefix));
        while let Some(rows) = pages.next().await? {
            all.extend(rows);
        }
        Ok(all)
    }
}

/// Creates an unconditional write.
pub(crate) fn put(key: Key, value: Vec<u8>) -> TableWrite {
    TableWrite::put(key, Expect::Anything, value)
}

/// Creates a write that requires the row to be as it was read.
pub(crate) fn put_after(key: Key, read: Option<&TableEntry>, value: Vec<u8>) -> TableWrite {
    TableWrite::put(key, as_read(read), value)
}

/// Creates a removal that requires the row to be as it was read.
pub(crate) fn remove_after(read: &TableEntry) -> TableWrite {
    TableWrite::remove(Arc::clone(&read.key), Expect::Version(read.version))
}

/// Creates a condition that the row is as it was read, without changing it.
pub(crate) fn keep(key: Key, read: Option<&TableEntry>) -> TableWrite {
    TableWrite { key, expect: as_read(read), change: EntryChange::Keep }
}

fn as_read(read: Option<&TableEntry>) -> Expect {
    read.map(|entry| entry.version).into()
}
