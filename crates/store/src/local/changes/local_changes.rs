//! The adapter for changes on this machine's disk.

use std::path::PathBuf;
use std::thread;

use super::watch_thread::WatchThread;
use crate::Error;
use crate::change_queue::change_queue;
use crate::local::DataDir;
use crate::port::{ChangeWatch, ChangedPart, Changes, StoreFuture};
use crate::threads::blocking;

/// A directory around the data directory whose changes are reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPlace {
    /// The part that lives there.
    pub part: ChangedPart,
    pub directory: PathBuf,
    /// The one file in it that counts; without one, every file does.
    pub file: Option<String>,
}

/// Changes in a data directory, whichever process makes them.
#[derive(Clone)]
pub struct LocalChanges {
    dir: DataDir,
    places: Vec<WatchedPlace>,
    asks_kernel: bool,
}

impl LocalChanges {
    /// Creates the source for a data directory and places around it.
    pub fn new(dir: DataDir, places: Vec<WatchedPlace>) -> Self {
        Self { dir, places, asks_kernel: true }
    }

    /// Leaves the kernel out, as on a system that reports no changes: everything is looked at in turn.
    #[must_use]
    pub fn without_kernel(self) -> Self {
        Self { asks_kernel: false, ..self }
    }
}

impl Changes for LocalChanges {
    fn watch(&self) -> StoreFuture<'_, Box<dyn ChangeWatch>> {
        let Self { dir, places, asks_kernel } = self.clone();
        Box::pin(async move {
            let (sender, receiver) = change_queue();
            blocking(move || {
                // What is there is noted before this returns, so that every later change is one.
                let watch = WatchThread::begin(dir, places, asks_kernel, sender)?;
                let named = thread::Builder::new().name("piton-changes".to_owned());
                let started = named.spawn(move || watch.run());
                started.map(drop).map_err(Error::io("watch for changes"))
            })
            .await?;
            Ok(Box::new(receiver) as Box<dyn ChangeWatch>)
        })
    }
}
