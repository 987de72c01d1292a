//! The reading connections of one handle.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::identity::Database;
use crate::Error;
use crate::threads::nearby;

/// Number of reads that run at the same time. More would only queue for the same disk.
const READERS: usize = 4;

/// Up to [`READERS`] connections, opened when they are first needed.
pub(super) struct Readers {
    database: Database,
    free: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Creates the pool for a database. The first connection may exist already.
    pub(super) fn new(database: Database, first: Option<Connection>) -> Self {
        let idle = Mutex::new(first.into_iter().collect());
        Self { database, free: Arc::new(Semaphore::new(READERS)), idle }
    }

    /// Returns the database that the connections read.
    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    /// Runs `read` with a connection and the database's path, on a thread where it holds up no other task.
    pub(super) async fn with<R: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection, &Path) -> Result<R, Error> + Send + 'static,
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
            let result = read(&connection, own.database.path());
            // Returned even after a failed read: the call's transaction is over, so the connection is as good as new.
            own.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            result
        })
        .await
    }
}
