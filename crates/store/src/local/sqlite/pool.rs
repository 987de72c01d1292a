//! The reading connections of one handle.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::Error;
use crate::threads::nearby;

/// Number of reads that run at the same time. More would only queue for the same disk.
const READERS: usize = 4;

/// A database that connections for reading can be opened to.
pub(in crate::local) trait ReaderSource: Send + Sync + 'static {
    /// Opens a connection that reads.
    fn open_reader(&self) -> Result<Connection, Error>;
}

/// Up to [`READERS`] connections, opened when they are first needed.
pub(in crate::local) struct Readers<D> {
    database: D,
    free: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

impl<D: ReaderSource> Readers<D> {
    /// Creates the pool for a database. The first connection may exist already.
    pub(in crate::local) fn new(database: D, first: Option<Connection>) -> Self {
        let idle = Mutex::new(first.into_iter().collect());
        Self { database, free: Arc::new(Semaphore::new(READERS)), idle }
    }

    /// Returns the database that the connections read.
    pub(in crate::local) fn database(&self) -> &D {
        &self.database
    }

    /// Runs `read` with a connection and the database, on a thread where it holds up no other task.
    pub(in crate::local) async fn with<R: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection, &D) -> Result<R, Error> + Send + 'static,
    ) -> Result<R, Error> {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let own = Arc::clone(self);
        nearby(move || {
            let _permit = permit.expect("the semaphore is never closed");
            // The permit bounds the number of connections: an idle one is reused, and a new one is opened only if all
            // are busy.
            let idle = own.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match idle {
                Some(connection) => connection,
                None => own.database.open_reader()?,
            };
            let result = read(&connection, &own.database);
            // Returned even after a failed read: the call's transaction is over, so the connection is as good as new.
            own.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            result
        })
        .await
    }
}
