//! What goes in.

use piton_backpack::BackpackId;
use piton_flow::{Cancel, RunEvent};
use serde_json::{Map, Value};

/// What a listener hears of a run.
pub enum Heard<'a> {
    /// An event.
    Event(&'a RunEvent),
    /// So many events were told while the listener was busy.
    Missed(u64),
}

/// A flow to run.
pub struct RunFlow<'a> {
    /// Its description.
    pub text: &'a str,
    /// The backpack that keeps the run; a new one if there is none.
    pub backpack: Option<BackpackId>,
    /// What is packed before it starts.
    pub items: Map<String, Value>,
    /// The most nodes that it visits.
    pub steps_max: u64,
    /// How it is stopped.
    pub cancel: Cancel,
}

/// A run to go on with.
pub struct ResumeFlow<'a> {
    /// The description that it began with.
    pub text: &'a str,
    /// The backpack that keeps it.
    pub backpack: BackpackId,
    /// The most further nodes that it visits.
    pub steps_max: u64,
    /// How it is stopped.
    pub cancel: Cancel,
}
