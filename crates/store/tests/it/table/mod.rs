//! The table on disk: its files, its limits, and several processes at once.

mod files;
pub(crate) mod processes;
mod write_ahead_log;

use std::path::Path;

use piton_store::local::{DataDir, LocalTable};
use piton_store::port::{EntryChange, EntryVersion, Expect, Table, TableWrite};

fn open(root: &Path) -> LocalTable {
    open_named(root, "test")
}

fn open_named(root: &Path, name: &str) -> LocalTable {
    LocalTable::open(&DataDir::open(root).unwrap(), &name.parse().unwrap()).unwrap()
}

fn put(key: &str, expect: Expect, value: impl Into<Vec<u8>>) -> TableWrite {
    TableWrite { key: key.as_bytes().into(), expect, change: EntryChange::Put(value.into()) }
}

async fn commit(table: &LocalTable, key: &str, value: impl Into<Vec<u8>>) -> EntryVersion {
    table.commit(vec![put(key, Expect::Anything, value)]).await.unwrap()
}

async fn value(table: &LocalTable, key: &str) -> Option<Vec<u8>> {
    table.get(key.as_bytes()).await.unwrap().map(|entry| entry.value)
}
