//! The table as it was at one moment: a connection in the middle of a read.
//!
//! *Limitations*: the write-ahead log cannot be folded back beyond that moment until the snapshot is dropped.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::entries;
use super::failure::sql;
use super::pool::Readers;
use super::taken_out::SetAsideDir;
use crate::port::{Batch, EntryVersion, Key, Page, StoreFuture, Table, TableEntry, TakenOut};
use crate::table::{check_key, check_keys, check_scan};
use crate::threads::nearby;
use crate::{Error, LeaseName};

/// A table as it was at one moment.
#[derive(Clone)]
pub(super) struct Snapshot {
    name: LeaseName,
    connection: Arc<Mutex<Connection>>,
    aside: SetAsideDir,
}

impl Snapshot {
    /// Takes a snapshot of the table `name` as it is now.
    pub(super) async fn take(
        readers: &Arc<Readers>,
        name: LeaseName,
        aside: SetAsideDir,
    ) -> Result<Self, Error> {
        let readers = Arc::clone(readers);
        nearby(move || {
            // It gets a connection of its own: those of the pool are for calls that end.
            let connection = readers.database().open_reader()?;
            // `BEGIN` alone fixes nothing; the first read does.
            let begun = connection.execute_batch("BEGIN; SELECT value FROM meta");
            begun.map_err(sql("read from the table"))?;
            Ok(Self { name, connection: Arc::new(Mutex::new(connection)), aside })
        })
        .await
    }

    async fn read<R: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, &LeaseName) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let own = self.clone();
        nearby(move || {
            let connection = own.connection.lock().unwrap_or_else(PoisonError::into_inner);
            read(&connection, &own.name)
        })
        .await
    }
}

impl Table for Snapshot {
    fn get<'a>(&'a self, key: &'a [u8]) -> StoreFuture<'a, Option<TableEntry>> {
        Box::pin(async move {
            check_key(key)?;
            let key = key.to_vec();
            self.read(move |connection, table| entries::get(connection, table, &key)).await
        })
    }

    fn get_all(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<TableEntry>>> {
        Box::pin(async move {
            check_keys(&keys)?;
            let one = move |connection: &Connection, table: &LeaseName| {
                keys.iter().map(|key| entries::get(connection, table, key)).collect()
            };
            self.read(one).await
        })
    }

    fn scan<'a>(
        &'a self,
        prefix: &'a [u8],
        after: Option<&'a [u8]>,
        limit: usize,
    ) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            let range = check_scan(prefix, after, limit)?;
            self.read(move |connection, table| entries::scan(connection, table, &range, limit))
                .await
        })
    }

    fn commit(&self, _: Batch) -> StoreFuture<'_, EntryVersion> {
        Box::pin(async { Err(crate::table::what_was()) })
    }

    fn snapshot(&self) -> StoreFuture<'_, Arc<dyn Table>> {
        // What this shows cannot change, so a snapshot of it is itself.
        let same: Arc<dyn Table> = Arc::new(self.clone());
        Box::pin(async { Ok(same) })
    }

    fn taken_out<'a>(&'a self, visit: &'a mut (dyn FnMut(TakenOut) + Send)) -> StoreFuture<'a, ()> {
        Box::pin(self.aside.each(visit))
    }
}
