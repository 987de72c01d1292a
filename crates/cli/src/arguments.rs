//! The command line: commands, arguments and options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use piton_runtime::request::SessionReference;

use crate::app::{App, Outcome};
use crate::commands::{
    approve, backpack, blame, config, console, context, data, diff, doctor, explain, flow, fork,
    help, inbox, install, keys, logs, man, mcp, prefs, search, session, up, version, workflow,
    workspace,
};
use crate::complete;
use crate::demo;
use crate::exit;

/// Help text for arguments that name a run.
const RUN_HELP: &str =
    "The run: its two-word name, its id, the id of its session, or the end of either id";

/// Help text for arguments that name a run to look at.
const LATEST_RUN_HELP: &str = "The run: its two-word name, its id, the id of its session, or the end of either id \
                               [default: the most recently active run]";

/// Display order of the global options: after those of the command itself.
const LAST: usize = 900; // tidy: number: more options than a command has

/// One durable runtime for AI agents.
#[derive(Parser)]
#[command(name = "piton", version, after_help = exit::HELP, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Args)]
pub(crate) struct Options {
    /// The data directory [default: `PITON_DATA_DIR`, else `data.dir` in the configuration, else `piton` in the XDG data
    /// directory]
    #[arg(long, global = true, value_name = "DIRECTORY", display_order = LAST)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = LAST)]
    pub(crate) json: bool,
}

/// Names a run.
#[derive(Args)]
pub(crate) struct RunArgument {
    #[arg(value_name = "RUN", value_parser = reference, help = RUN_HELP, add = complete::runs())]
    pub(crate) run: SessionReference,
}

fn reference(text: &str) -> Result<SessionReference, String> {
    if text.trim().is_empty() {
        return Err("it is empty; `piton session list` lists the runs".to_owned());
    }
    Ok(SessionReference(text.to_owned()))
}

/// Names a run to look at; without a name, the most recently active one is meant.
#[derive(Args)]
pub(crate) struct LatestRun {
    #[arg(value_name = "RUN", value_parser = reference, help = LATEST_RUN_HELP, add = complete::runs())]
    pub(crate) run: Option<SessionReference>,
}

/// Names a run, if one is meant.
#[derive(Args)]
pub(crate) struct MaybeRun {
    #[arg(long, value_name = "RUN", value_parser = reference, help = RUN_HELP, add = complete::runs())]
    pub(crate) run: Option<SessionReference>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List, show, check, write and run workflows
    #[command(subcommand)]
    Workflow(workflow::Command),
    /// List, show, export, verify, repair and delete sessions and their runs
    #[command(subcommand)]
    Session(session::Command),
    /// Check, draw, run, resume and replay flows
    #[command(subcommand)]
    Flow(flow::Command),
    /// Show where something comes from: who made it, when, and in which step
    #[command(subcommand)]
    Blame(blame::Command),
    /// Continue from an earlier state of a run, a flow, a backpack or an overlay, and keep the original
    #[command(
        after_help = "Examples:\n  piton fork amber-otter --at diagnose\n  piton fork research --at summarise\n  piton fork research@c1f --into research-2\n  piton fork /scratch --into /draft"
    )]
    Fork(fork::Fork),
    /// Compare two runs, backpacks, overlays or recorded trees
    #[command(
        after_help = "Examples:\n  piton diff amber-otter@h3kq9x7d amber-otter\n  piton diff research@c1f research-2\n  piton diff /scratch /draft\n  piton diff @-1 @\n\nIf a name fits several kinds, put the kind before it: run:NAME, backpack:NAME, tree:NAME"
    )]
    Diff(diff::DiffThings),
    /// Inspect backpacks: what the nodes of a flow knew, who wrote it, and what it was before
    #[command(subcommand)]
    Backpack(backpack::Command),
    /// Work with context: a project's tree, and what agents wrote about it
    Context(Box<context::ContextCommand>),
    /// Inspect Workspaces: the files that agents see, and how they changed them
    #[command(subcommand)]
    Workspace(workspace::Command),
    /// Show everything that waits for you: questions, blocked and damaged runs, changes to review
    #[command(after_help = "Examples:\n  piton inbox\n  piton inbox --watch")]
    Inbox(inbox::InboxCommand),
    /// Find runs, workflows, backpacks and their keys, frames and files by words
    #[command(after_help = "Examples:\n  piton search login retry\n  piton search \"retry.rs\"")]
    Search(search::SearchCommand),
    /// Approve a run that is waiting for you
    #[command(after_help = "Example:\n  piton approve quiet-heron")]
    Approve(approve::Approve),
    /// Answer a run that is waiting for you
    #[command(after_help = "Example:\n  piton answer quiet-heron \"use the staging account\"")]
    Answer(approve::AnswerRun),
    /// Reject a run that is waiting for you, with a reason
    #[command(after_help = "Example:\n  piton reject quiet-heron \"not before the release\"")]
    Reject(approve::Reject),
    /// Show or change the preferences of new runs, or of one run
    #[command(subcommand)]
    Prefs(prefs::Command),
    /// Show and check the configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Serve an agent over standard input and output, or configure a client to start that server
    Mcp(mcp::Mcp),
    /// Serve agents over HTTP until Ctrl-C
    #[command(after_help = "Example:\n  piton up")]
    Up(workspace::WorkspaceArguments),
    /// Watch and steer what agents do, in a browser
    Console(console::ConsoleCommand),
    /// Check that everything Piton needs is in order
    #[command(after_help = "Example:\n  piton doctor --json")]
    Doctor,
    /// Explain an error code and how to resolve it
    #[command(after_help = "Example:\n  piton explain SESSION_LOCKED")]
    Explain(explain::Explain),
    /// Show the logs of Piton's processes
    #[command(after_help = "Example:\n  piton logs --run amber-otter")]
    Logs(logs::Logs),
    /// Verify and repair the table file, which holds context, Virtual Stores and file records
    #[command(subcommand)]
    Data(data::Command),
    /// Rotate, verify and repair the keys that sign tokens
    #[command(subcommand)]
    Keys(keys::Command),
    /// Copy this program to a directory where your shell finds it
    #[command(after_help = "Example:\n  piton install")]
    Install(install::Install),
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  piton completions bash > ~/.local/share/bash-completion/completions/piton"
    )]
    Completions(man::Completions),
    /// Print the manual page, or write a page for each command
    #[command(after_help = "Example:\n  piton man --to ~/.local/share/man/man1")]
    Man(man::Man),
    /// Watch a scripted agent work through a whole run, get blocked, get killed and resume
    #[command(after_help = "Example:\n  piton demo")]
    Demo,
    /// Show the help of a command
    #[command(after_help = "Example:\n  piton help session show")]
    Help(help::Help),
    /// Show the version of the program, and of the data formats that it writes
    #[command(after_help = "Example:\n  piton version --json")]
    Version,
    /// Prints the reference of this command line as Markdown.
    #[command(name = "internal-reference", hide = true)]
    Reference,
    /// Shows a page in the browser once a line arrives on standard input.
    #[command(name = "internal-open-page", hide = true)]
    OpenPage(console::OpenPage),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Workflow(command) => command.run(app),
            Self::Session(command) => command.run(app),
            Self::Flow(command) => command.run(app),
            Self::Blame(command) => command.run(app),
            Self::Fork(command) => command.run(app),
            Self::Diff(command) => command.run(app),
            Self::Backpack(command) => command.run(app),
            Self::Context(command) => command.run(app),
            Self::Workspace(command) => command.run(app),
            Self::Inbox(command) => command.run(app),
            Self::Search(command) => command.run(app),
            Self::Approve(command) => command.run(app),
            Self::Answer(command) => command.run(app),
            Self::Reject(command) => command.run(app),
            Self::Prefs(command) => command.run(app),
            Self::Config(command) => command.run(app),
            Self::Mcp(command) => command.run(app),
            Self::Up(chosen) => up::run(app, &chosen),
            Self::Console(command) => command.run(app),
            Self::Doctor => doctor::run(app),
            Self::Explain(command) => command.run(app),
            Self::Logs(command) => command.run(app),
            Self::Data(command) => command.run(app),
            Self::Keys(command) => command.run(app),
            Self::Install(command) => command.run(app),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(app),
            Self::Demo => demo::run(app),
            Self::Help(command) => command.run(),
            Self::Version => version::run(app),
            Self::Reference => man::print_reference(),
            Self::OpenPage(page) => page.run(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test reads the sources")]
mod tests {
    use std::fs;
    use std::path::Path;

    use clap::Parser as _;
    use clap::error::ErrorKind;

    use super::Arguments;

    /// Returns the source without its comments. Lines that end in a backslash are joined with the next.
    fn without_comments(source: &str) -> String {
        let (mut text, mut is_continued) = (String::new(), false);
        for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let line = if is_continued { line.trim_start() } else { line };
            let begun = line.strip_suffix('\\');
            is_continued = begun.is_some();
            text.push_str(begun.unwrap_or(line));
            text.push_str(if is_continued { "" } else { "\n" });
        }
        text
    }

    /// Returns the commands that a source file quotes, with a placeholder word for each interpolated value.
    fn quoted(source: &str) -> Vec<String> {
        let text = without_comments(source);
        let lines = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        // A command that is interpolated as a whole is checked where it is written.
        let is_interpolated = |quoted: &str| quoted.starts_with("piton {") && quoted.ends_with('}');
        let commands =
            lines.filter(|quoted| quoted.starts_with("piton ") && !is_interpolated(quoted));
        commands
            .map(|command| {
                let mut filled = String::new();
                let mut rest = command;
                while let Some((before, after)) = rest.split_once('{') {
                    filled.push_str(before);
                    filled.push_str("value");
                    rest = after.split_once('}').map_or("", |(_, behind)| behind);
                }
                filled + rest
            })
            .collect()
    }

    fn check(directory: &Path, count: &mut usize) {
        for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                check(&entry, count);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                for command in quoted(&fs::read_to_string(&entry).unwrap()) {
                    *count += 1;
                    // The placeholder for a count has to parse as a number.
                    let words =
                        command.split(' ').map(|word| if word == "COUNT" { "1" } else { word });
                    let Err(error) = Arguments::try_parse_from(words) else { continue };
                    let is_whole = error.kind() == ErrorKind::DisplayHelp;
                    assert!(is_whole, "{}: `{command}`: {error}", entry.display());
                }
            }
        }
    }

    #[test]
    fn every_command_that_a_text_quotes_can_be_called_as_it_stands() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut count = 0;
        for one in fs::read_dir(crates).unwrap() {
            check(&one.unwrap().path().join("src"), &mut count);
        }
        assert!(count > 80, "{count}");
    }
}
