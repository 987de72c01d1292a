//! The dispatch of commands.

use crate::{app::App, arguments::Command, demo, exit::CommandEnding, failure::Failure};

/// Runs a command.
pub(crate) fn run(command: Command, app: &App) -> Result<CommandEnding, Failure> {
    match command {
        Command::Workflow(command) => command.run(app),
        Command::Session(command) => command.run(app),
        Command::Flow(command) => command.run(app),
        Command::Blame(command) => command.run(app),
        Command::Fork(command) => command.run(app),
        Command::Diff(command) => command.run(app),
        Command::Backpack(command) => command.run(app),
        Command::Context(command) => command.run(app),
        Command::Workspace(command) => command.run(app),
        Command::Approve(command) => command.run(app),
        Command::Answer(command) => command.run(app),
        Command::Reject(command) => command.run(app),
        Command::Prefs(command) => command.run(app),
        Command::Config(command) => command.run(app),
        Command::Mcp(command) => command.run(app),
        Command::Up(command) => command.run(app),
        Command::Doctor => super::doctor::run(app),
        Command::Explain(command) => command.run(app),
        Command::Logs(command) => command.run(app),
        Command::Data(command) => command.run(app),
        Command::Keys(command) => command.run(app),
        Command::Install(command) => command.run(app),
        Command::Completions(command) => command.run(app),
        Command::Man(command) => command.run(app),
        Command::Demo => demo::run(app).map(|()| CommandEnding::Done),
        Command::Reference => super::reference::print(),
    }
}
