//! `piton demo`: a whole run in a second, without a key or a network.
//!
//! A scripted agent works through a workflow that comes with Piton, over real MCP. Its server is another process of
//! this program. The agent is blocked and recovers. It is killed halfway, and another one resumes. It writes into a
//! scratchpad and packs state. Then the same commands that a person types show what happened. Each act fails if a
//! promise did not hold. Everything is kept for inspection.

mod agent;
mod facts;
mod looking;
mod script;
mod stage;
mod story;

use crate::{app::App, failure::Failure};

/// Plays the demo.
pub(crate) fn run(app: &App) -> Result<(), Failure> {
    let root = app.data_dir(&app.configuration()?.settings())?.join("demo");
    let stage = stage::Stage::set(&root)?;
    let output = &app.output;
    output.print(format_args!(
        "Piton {} · a run that you can look at afterwards, in {}",
        env!("CARGO_PKG_VERSION"),
        app.display_path(&stage.root)
    ));
    let played = story::play(app, &stage)?;
    looking::around(app, &stage, &played)?;
    output.reply("piton.demo/2", &played)
}
