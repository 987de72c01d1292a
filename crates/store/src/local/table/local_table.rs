//! The table adapter: a handle with one connection that writes and a pool of those that read.
//!
//! A snapshot is a handle with a connection of its own, in the middle of a read.
//!
//! *Limitations*: the write-ahead log cannot be folded back beyond that moment until the snapshot is dropped.

use std::path::Path;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Mutex;

use super::failure::sql;
use super::identity::Database;
use super::taken_out::SetAsideDir;
use super::wal_monitor::{TableStatus, WalMonitor};
use super::{backup, connection, entries, wal_monitor};
use crate::local::DataDir;
use crate::local::sqlite::{ReaderSource as _, Readers};
use crate::port::{Batch, EntryVersion, Key, Page, StoreFuture, Table, TableEntry, TakenOut};
use crate::table::{check_batch, check_key, check_keys, check_scan, what_was};
use crate::threads::nearby;
use crate::{Error, LeaseName};

/// A table of a data directory.
#[derive(Clone)]
pub struct LocalTable {
    name: LeaseName,
    writer: Arc<Mutex<TableWriter>>,
    readers: Arc<Readers<Database>>,
    aside: SetAsideDir,
    /// In a snapshot, the connection that shows its moment.
    moment: Option<Arc<StdMutex<Connection>>>,
}

/// The one writing connection of a handle, opened by its first commit, because many handles only read.
struct TableWriter {
    connection: Option<Connection>,
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
            moment: None,
        })
    }

    /// Checks the whole database: every table of the data directory, not only this one.
    ///
    /// Reads all of it.
    pub async fn status(&self) -> Result<TableStatus, Error> {
        let status = |connection: &Connection, database: &Database| {
            wal_monitor::status(connection, database.path())
        };
        let mut status = self.readers.with(status).await?;
        if let Err(replaced) = self.check_identity() {
            status.problems.insert(0, replaced.to_string());
            status.is_replaced = true;
        }
        Ok(status)
    }

    /// Refuses a database that is not the one that the data directory had. A snapshot has its file open.
    fn check_identity(&self) -> Result<(), Error> {
        if self.moment.is_some() { Ok(()) } else { self.readers.database().check() }
    }

    /// Takes a snapshot of the table as it is now.
    async fn take_snapshot(&self) -> Result<Self, Error> {
        let own = self.clone();
        nearby(move || {
            // It gets a connection of its own: those of the pool are for calls that end.
            let connection = own.readers.database().open_reader()?;
            // `BEGIN` alone fixes nothing; the first read does.
            let begun = connection.execute_batch("BEGIN; SELECT value FROM meta");
            begun.map_err(sql("read from the table"))?;
            Ok(Self { moment: Some(Arc::new(StdMutex::new(connection))), ..own })
        })
        .await
    }

    /// Runs `read` with a connection and the table's name.
    async fn read<R: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, &LeaseName) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let name = self.name.clone();
        let Some(moment) = self.moment.clone() else {
            return self.readers.with(move |connection, _| read(connection, &name)).await;
        };
        nearby(move || {
            let connection = moment.lock().unwrap_or_else(PoisonError::into_inner);
            read(&connection, &name)
        })
        .await
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
            let key = key.to_vec();
            self.read(move |connection, table| entries::get(connection, table, &key)).await
        })
    }

    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>> {
        Box::pin(async move {
            self.check_identity()?;
            check_keys(&keys)?;
            let is_snapshot = self.moment.is_some();
            let get_all = move |connection: &Connection, table: &LeaseName| {
                if !is_snapshot {
                    return entries::get_all(connection, table, &keys);
                }
                // The transaction that shows the moment is open already.
                keys.iter().map(|key| entries::get(connection, table, key)).collect()
            };
            self.read(get_all).await
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
            let range = check_scan(prefix, after, limit)?;
            self.read(move |connection, table| entries::scan(connection, table, &range, limit))
                .await
        })
    }

    fn commit(&self, batch: Batch) -> StoreFuture<'_, EntryVersion> {
        Box::pin(async move {
            if self.moment.is_some() {
                return Err(what_was());
            }
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
            // What a snapshot shows cannot change, so a snapshot of it is itself.
            let taken =
                if self.moment.is_some() { self.clone() } else { self.take_snapshot().await? };
            Ok(Arc::new(taken) as Arc<dyn Table>)
        })
    }

    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()> {
        Box::pin(self.aside.each(visit))
    }
}
