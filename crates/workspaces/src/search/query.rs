//! What a Store is asked to find.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{ContentMatcher, Selection};
use crate::{mask::Mask, path::MountPath};

/// How much of a file that matches is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// That it matches.
    File,
    /// How many of its lines match.
    Count,
    /// The lines.
    Lines,
}

/// What a Store is asked to find.
#[derive(Debug)]
pub struct Search {
    /// Where to start: a directory, or one file.
    pub start: MountPath,
    /// The way from where the agent started to `start`; patterns see paths with it in front.
    pub lead: MountPath,
    /// Which files.
    pub selection: Arc<Selection>,
    /// Which lines; without it, files are found by name alone.
    pub content: Option<Arc<ContentMatcher>>,
    /// What is hidden.
    pub mask: Arc<Mask>,
    /// How much of each file.
    pub depth: Depth,
    /// How many results are kept: lines with [`Depth::Lines`], else files. The rest is counted.
    pub results_max: usize,
    /// Whether somebody still waits.
    pub cancel: Cancel,
}

impl Search {
    /// Whether a file is selected by its path.
    pub fn selects(&self, path: &MountPath) -> bool {
        let below = path.below(&self.start).unwrap_or_else(|| path.clone());
        let seen = if below.is_root() { self.lead.clone() } else { self.lead.join(&below) };
        self.selection.selects(&seen)
    }
}

/// Says that nobody waits any more.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops the search soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
