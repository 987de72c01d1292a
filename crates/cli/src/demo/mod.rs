//! `piton demo`: the journal at work, for a person who has never seen it.
//!
//! Five short acts on one new session. Each does something to the session that a machine does to
//! programs, looks at what became of it, and fails if a promise did not hold. The earlier sessions in
//! the data directory are left alone.

mod damage;
mod event;
mod facts;
mod killed;
mod plans;
mod store;
mod words;

use piton_core::SessionId;
use piton_store::{StreamId, local::SystemEntropy};

use self::{
    facts::{Facts, Total},
    store::Store,
};
use crate::{app::App, failure::Failure};

/// Plays the demo.
pub(crate) fn run(app: &App) -> Result<(), Failure> {
    let output = &app.output;
    // In a place of its own: its events are not those of workflows.
    let root = app.data_dir(&app.configuration()?.settings())?.join("demo");
    let store = Store::open(&root)?;
    let session = StreamId::from(SessionId::mint(&SystemEntropy));
    let earlier = store.count_sessions()?;
    words::opening(output, &app.shown(&root), earlier);

    words::before_writing(output);
    let written = plans::write(&store, &session, |plan| words::written(output, plan))?;
    let (refused, killed) = killed::play(&store, &session, plans::STORY.len() as u64)?;
    words::refused(output, &refused);
    words::killed(output, &killed);
    let repeated = plans::repeat(&store, &session)?;
    words::repeated(output, &repeated);
    let damaged = damage::play(&store, &session)?;
    words::damaged(output, &damaged);

    let events = store.load(&session)?.events;
    let total = Total::of(&events, &written, &killed);
    let directory = store.session_directory(&session);
    words::ending(output, &total, &app.shown(&directory));
    output.document(&Facts {
        schema: facts::SCHEMA,
        data_dir: root,
        earlier_sessions: earlier,
        session,
        written,
        refused,
        killed,
        repeated,
        damaged,
        total,
        directory,
    })
}

/// The other process: appends plans, and says of each when it is durable, until it is killed.
pub(crate) fn write_until_killed(
    app: &App,
    session: &StreamId,
    first_plan: u64,
) -> Result<(), Failure> {
    let root = app.chosen_dir.as_ref().ok_or(Failure::NoDataDir)?;
    killed::write_here(&Store::open(root)?, session, first_plan)
}
