//! The query that a Store receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ContentMatcher, Selection};
use crate::mask::Mask;
use crate::path::MountPath;

/// Level of detail that is wanted for a matching file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Only the fact that it matches.
    File,
    /// The number of its matching lines.
    Count,
    Lines,
}

/// A query for a Store.
#[derive(Debug)]
pub struct Search {
    /// Start of the search: a directory or one file.
    pub start: MountPath,
    /// Path from the start of the agent's search to `start`. Patterns see paths with it in front.
    pub lead: MountPath,
    pub selection: Arc<Selection>,
    /// Pattern for lines. Without it, files are found by name alone.
    pub content: Option<Arc<ContentMatcher>>,
    /// Paths that are hidden.
    pub mask: Arc<Mask>,
    pub depth: Depth,
    /// Number of results to keep: lines with [`Depth::Lines`], files otherwise. The rest is only counted.
    pub results_max: usize,
    /// Signal that the caller no longer waits.
    pub cancel: Cancel,
}

impl Search {
    /// True if a file is selected by its path.
    pub fn selects(&self, path: &MountPath) -> bool {
        let below = path.below(&self.start).unwrap_or_else(|| path.clone());
        let seen = if below.is_root() { self.lead.clone() } else { self.lead.join(&below) };
        self.selection.selects(&seen)
    }
}

/// A signal that stops a search.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests that the search stop soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True if the search should stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
