//! The index adapter: a handle with one connection that writes and a pool of those that read.

use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Mutex;

use super::database::{IndexFailure, IndexFile};
use super::match_cache::MatchCache;
use super::{reading, writing};
use crate::bounds::INDEX_ATTEMPTS;
use crate::index::{check_page, check_query, check_remove, check_replace};
use crate::local::DataDir;
use crate::local::sqlite::Readers;
use crate::port::{
    Collection, CursorPage, Index, IndexPage, IndexQuery, IndexedSource, SourcePage, StoreFuture,
};
use crate::threads::nearby;
use crate::{Error, IndexName};

/// The index of a data directory. Clones share its connections.
///
/// Nothing is opened or created before the first call. A damaged index is replaced by an empty one, in the middle of a
/// call if need be.
#[derive(Clone)]
pub struct LocalIndex {
    dir: DataDir,
    open: Arc<StdMutex<Option<Arc<OpenIndex>>>>,
    matches: Arc<MatchCache>,
}

/// A database with its connections.
struct OpenIndex {
    readers: Arc<Readers<IndexFile>>,
    writer: Arc<Mutex<Connection>>,
}

impl OpenIndex {
    fn file(&self) -> &IndexFile {
        self.readers.database()
    }
}

impl LocalIndex {
    /// Creates a handle of the index under `dir`.
    pub fn new(dir: DataDir) -> Self {
        Self { dir, open: Arc::default(), matches: Arc::default() }
    }

    /// Returns the database in use. `damaged` is one that turned out to be damaged. Blocks.
    fn current(&self, damaged: Option<&OpenIndex>) -> Result<Arc<OpenIndex>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let bad = damaged.map(|damaged| damaged.file().generation());
        if let Some(open) = &*open
            && Some(open.file().generation()) > bad
            && open.file().is_current()
        {
            return Ok(Arc::clone(open));
        }
        let mut after = bad;
        for attempt in 1.. {
            let file = IndexFile::find(&self.dir, after)?;
            match file.open_writer() {
                Ok(writer) => {
                    file.remove_older();
                    let opened = OpenIndex {
                        readers: Arc::new(Readers::new(file, None)),
                        writer: Arc::new(Mutex::new(writer)),
                    };
                    return Ok(Arc::clone(open.insert(Arc::new(opened))));
                }
                Err(failure) if failure.is_damage() && attempt < INDEX_ATTEMPTS => {
                    after = Some(file.generation());
                }
                Err(failure) => return Err(failure.into_error("open the index")),
            }
        }
        unreachable!("the last attempt returns")
    }

    async fn opened(&self, damaged: Option<Arc<OpenIndex>>) -> Result<Arc<OpenIndex>, Error> {
        let own = self.clone();
        nearby(move || own.current(damaged.as_deref())).await
    }

    /// Runs `read` with a connection, and again with an empty index if this one turns out to be damaged.
    async fn read<R: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> Result<R, IndexFailure> + Send + Sync + 'static,
    ) -> Result<R, Error> {
        let read = Arc::new(read);
        let mut damaged = None;
        for attempt in 1.. {
            let open = self.opened(damaged.take()).await?;
            let work = Arc::clone(&read);
            match open.readers.with(move |connection, _| Ok(work(connection))).await? {
                Err(failure) if failure.is_damage() && attempt < INDEX_ATTEMPTS => {
                    damaged = Some(open);
                }
                done => return done.map_err(|failure| failure.into_error("read the index")),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Runs `write` with the connection that writes, and again with an empty index if this one turns out to be
    /// damaged.
    async fn write(
        &self,
        write: impl Fn(&mut Connection) -> Result<(), IndexFailure> + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let write = Arc::new(write);
        let mut damaged = None;
        for attempt in 1.. {
            let open = self.opened(damaged.take()).await?;
            let work = Arc::clone(&write);
            // The guard moves into the work, so that a change that has started ends undisturbed.
            let mut writer = Arc::clone(&open.writer).lock_owned().await;
            match nearby(move || Ok(work(&mut writer))).await? {
                Err(failure) if failure.is_damage() && attempt < INDEX_ATTEMPTS => {
                    damaged = Some(open);
                }
                // Another process may have replaced the database meanwhile. Then the change went into a file that
                // nobody reads again.
                Ok(()) if !open.file().is_current() && attempt < INDEX_ATTEMPTS => {}
                done => return done.map_err(|failure| failure.into_error("change the index")),
            }
        }
        unreachable!("the last attempt returns")
    }
}

impl Index for LocalIndex {
    fn replace<'a>(
        &'a self,
        collection: &'a Collection,
        sources: Vec<IndexedSource>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_replace(&sources)?;
            let collection = collection.clone();
            self.write(move |connection| writing::replace(connection, &collection, &sources)).await
        })
    }

    fn remove<'a>(
        &'a self,
        collection: &'a IndexName,
        sources: Vec<String>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            check_remove(&sources)?;
            let collection = collection.clone();
            self.write(move |connection| writing::remove(connection, &collection, &sources)).await
        })
    }

    fn cursors<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, CursorPage> {
        Box::pin(async move {
            check_page(limit)?;
            let (collection, after) = (collection.clone(), after.map(str::to_owned));
            self.read(move |connection| {
                reading::cursors(connection, &collection, after.as_deref(), limit)
            })
            .await
        })
    }

    fn scan<'a>(
        &'a self,
        collection: &'a Collection,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, SourcePage> {
        Box::pin(async move {
            check_page(limit)?;
            let (collection, after) = (collection.clone(), after.map(str::to_owned));
            self.read(move |connection| {
                reading::scan(connection, &collection, after.as_deref(), limit)
            })
            .await
        })
    }

    fn query<'a>(&'a self, query: &'a IndexQuery) -> StoreFuture<'a, IndexPage> {
        Box::pin(async move {
            check_query(query)?;
            let (query, matches) = (query.clone(), Arc::clone(&self.matches));
            self.read(move |connection| reading::query(connection, &query, &matches)).await
        })
    }
}
