//! The table adapter: a handle with one connection that writes and a pool of those that read.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::identity::Database;
use super::pool::Readers;
use super::snapshot::Snapshot;
use super::taken_out::SetAsideDir;
use super::wal_monitor::{TableStatus, WalMonitor};
use super::{backup, connection, entries, wal_monitor};
use crate::local::DataDir;
use crate::port::{Batch, EntryVersion, Key, Page, StoreFuture, Table, TableEntry, TakenOut};
use crate::table::{check_batch, check_key, check_keys, check_scan};
use crate::threads::nearby;
use crate::{Error, LeaseName};

/// A table of a data directory.
#[derive(Clone)]
pub struct LocalTable {
    name: LeaseName,
    writer: Arc<Mutex<TableWriter>>,
    readers: Arc<Readers>,
    aside: SetAsideDir,
}

/// The one writing connection of a handle, opened by its first commit, because many handles only read.
struct TableWriter {
    connection: Option<rusqlite::Connection>,
    upkeep: WalMonitor,
}

impl LocalTable {
    /// Opens the table `name`, creating the database if necessary. Blocks.
    ///
    /// A damaged or replaced database opens too, and so does one for which the disk has no room: only calls that use it
    /// fail.
    pub fn open(dir: &DataDir, name: &LeaseName) -> Result<Self, Error> {
        let path = dir.table();
        // The name must be durable before any commit in the file counts as durable.
        if connection::create_file(&path)? {
            dir.disk().sync_dir(dir.root()).map_err(Error::io("sync the data directory"))?;
        }
        let (database, first) = Database::open(dir)?;
        let upkeep = WalMonitor::new(&path);
        Ok(Self {
            name: name.clone(),
            writer: Arc::new(Mutex::new(TableWriter { connection: None, upkeep })),
            readers: Arc::new(Readers::new(database, first)),
            aside: SetAsideDir::new(dir, name),
        })
    }

    /// Checks the whole database: every table of the data directory, not only this one.
    ///
    /// Reads all of it.
    pub async fn status(&self) -> Result<TableStatus, Error> {
        let mut status = self.readers.with(wal_monitor::status).await?;
        if let Err(replaced) = self.check_identity() {
            status.problems.insert(0, replaced.to_string());
            status.is_replaced = true;
        }
        Ok(status)
    }

    /// Refuses a database that is not the one that the data directory had.
    fn check_identity(&self) -> Result<(), Error> {
        self.readers.database().check()
    }

    /// Writes a copy of the whole database to `to`, where nothing may exist yet.
    ///
    /// The copy is of one moment, and other processes continue to work. It appears complete or not at all.
    pub async fn backup(&self, to: &Path) -> Result<(), Error> {
        let to = to.to_path_buf();
        self.readers.with(move |connection, _| backup::write(connection, &to)).await
    }
}

impl Table for LocalTable {
    fn get<'a>(&'a self, key: &'a [u8]) -> StoreFuture<'a, Option<TableEntry>> {
        Box::pin(async move {
            self.check_identity()?;
            check_key(key)?;
            let (table, key) = (self.name.clone(), key.to_vec());
            self.readers.with(move |connection, _| entries::get(connection, &table, &key)).await
        })
    }

    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>> {
        Box::pin(async move {
            self.check_identity()?;
            check_keys(&keys)?;
            let table = self.name.clone();
            self.readers
                .with(move |connection, _| entries::get_all(connection, &table, &keys))
                .await
        })
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            self.check_identity()?;
            let (table, range) = (self.name.clone(), check_scan(prefix, after, limit)?);
            self.readers
                .with(move |connection, _| entries::scan(connection, &table, &range, limit))
                .await
        })
    }

    fn commit(&self, batch: Batch) -> StoreFuture<'_, EntryVersion> {
        Box::pin(async move {
            self.check_identity()?;
            check_batch(&batch)?;
            let (table, readers) = (self.name.clone(), Arc::clone(&self.readers));
            // The guard moves into the work, so that a commit that has started ends undisturbed.
            let mut guard = Arc::clone(&self.writer).lock_owned().await;
            nearby(move || {
                let TableWriter { connection, upkeep } = &mut *guard;
                let database = readers.database();
                let connection = match connection {
                    Some(connection) => connection,
                    None => connection.insert(database.open_writer()?),
                };
                let version = entries::commit(connection, &table, batch)?;
                // If the file was deleted or replaced, the commit went into a file that nobody will read again.
                database.check_file()?;
                upkeep.after_commit(connection);
                Ok(version)
            })
            .await
        })
    }

    fn snapshot(&self) -> StoreFuture<'_, Arc<dyn Table>> {
        Box::pin(async move {
            self.check_identity()?;
            let taken =
                Snapshot::take(&self.readers, self.name.clone(), self.aside.clone()).await?;
            Ok(Arc::new(taken) as Arc<dyn Table>)
        })
    }

    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()> {
        Box::pin(self.aside.each(visit))
    }
}
