//! Hints about changes, in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::change_queue::{ChangeSender, change_queue};
use crate::port::{Change, ChangeHint, ChangeWatch, Changes, StoreFuture};

/// A source of hints that somebody reports to. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryChanges {
    watches: Arc<Mutex<Vec<ChangeSender>>>,
}

impl MemoryChanges {
    /// Creates a source without watches.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reports a change to every watch.
    pub fn report(&self, hint: &ChangeHint) {
        self.watches().retain(|watch| watch.send(Change::Hint(hint.clone())));
    }

    /// Reports to every watch that hints were lost.
    pub fn lose(&self) {
        self.watches().retain(|watch| watch.send(Change::Lost));
    }

    fn watches(&self) -> MutexGuard<'_, Vec<ChangeSender>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Changes for MemoryChanges {
    fn watch(&self) -> StoreFuture<'_, Box<dyn ChangeWatch>> {
        Box::pin(async move {
            let (sender, receiver) = change_queue();
            self.watches().push(sender);
            Ok(Box::new(receiver) as Box<dyn ChangeWatch>)
        })
    }
}
