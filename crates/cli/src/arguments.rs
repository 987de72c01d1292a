//! The command line: commands, arguments and options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use piton_runtime::request::SessionReference;

use crate::{
    commands::{
        backpack, blame, completions, config, context, data, diff, explain, flow, fork, install,
        keys, logs, man, mcp, prefs, session, settle, up, workflow, workspace,
    },
    data_dir, exit,
};

/// Help text for arguments that name a run.
const RUN_HELP: &str = "The run: its two words, its id, the id of its session, or the end of an id";

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

/// What every command takes.
#[derive(Args)]
pub(crate) struct Options {
    /// Where data is kept.
    #[arg(long, global = true, value_name = "DIRECTORY", help = data_dir::HELP, display_order = LAST)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = LAST)]
    pub(crate) json: bool,
}

/// Names a run.
#[derive(Args)]
pub(crate) struct RunArgument {
    #[arg(value_name = "RUN", value_parser = reference, help = RUN_HELP)]
    pub(crate) run: SessionReference,
}

fn reference(text: &str) -> Result<SessionReference, String> {
    if text.trim().is_empty() {
        return Err("it is empty; `piton session list` shows which runs there are".to_owned());
    }
    Ok(SessionReference(text.to_owned()))
}

/// Names a run, if one is meant.
#[derive(Args)]
pub(crate) struct MaybeRun {
    #[arg(long, value_name = "RUN", value_parser = reference, help = RUN_HELP)]
    pub(crate) run: Option<SessionReference>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Workflows: list, show, check, write and walk them
    #[command(subcommand)]
    Workflow(workflow::Command),
    /// Sessions and their runs: look, carry, check, mend, remove
    #[command(subcommand)]
    Session(session::Command),
    /// Flows of nodes from files: check, draw, run, resume and replay them
    #[command(subcommand)]
    Flow(flow::Command),
    /// Where something comes from: who made it, when, and in which step
    #[command(subcommand)]
    Blame(blame::Command),
    /// Go on from an earlier state of a run, a flow, a backpack or an overlay, beside what came of it
    #[command(
        after_help = "Examples:\n  piton fork amber-otter --at diagnose\n  piton fork research --at summarise\n  piton fork research@c1f --into research-2\n  piton fork /scratch --into /draft"
    )]
    Fork(fork::Fork),
    /// What differs between two runs, backpacks, overlays or recorded trees, and what they have in common
    #[command(
        after_help = "Examples:\n  piton diff amber-otter@h3kq9x7d amber-otter\n  piton diff research@c1f research-2\n  piton diff /scratch /draft\n  piton diff @-1 @\n\nA name that fits several kinds takes the kind before it: run:NAME, backpack:NAME, tree:NAME"
    )]
    Diff(diff::DiffThings),
    /// Backpacks: what the nodes of a flow knew, who told them, and what it was before
    #[command(subcommand)]
    Backpack(backpack::Command),
    /// Context: a project's tree, and what agents wrote about it
    Context(Box<context::ContextCommand>),
    /// Workspaces: the files that agents see, and what they did to them
    #[command(subcommand)]
    Workspace(workspace::Command),
    /// Say yes to a run that waits for you
    #[command(after_help = "Example:\n  piton approve quiet-heron")]
    Approve(settle::Approve),
    /// Give a run the answer that it waits for
    #[command(after_help = "Example:\n  piton answer quiet-heron \"use the staging account\"")]
    Answer(settle::AnswerRun),
    /// Say no to a run that waits for you, and why
    #[command(after_help = "Example:\n  piton reject quiet-heron \"not before the release\"")]
    Reject(settle::Reject),
    /// What runs prefer: in general, or one of them
    #[command(subcommand)]
    Prefs(prefs::Command),
    /// Configuration: what holds, and what is wrong with it
    #[command(subcommand)]
    Config(config::Command),
    /// Serve an agent over standard input and output, or tell clients to start that
    Mcp(mcp::Mcp),
    /// Serve agents over HTTP until Ctrl-C
    #[command(after_help = "Example:\n  piton up")]
    Up(up::Up),
    /// Look whether everything that Piton needs is in order
    #[command(after_help = "Example:\n  piton doctor --json")]
    Doctor,
    /// What an error code means, and what to do about it
    #[command(after_help = "Example:\n  piton explain SESSION_LOCKED")]
    Explain(explain::Explain),
    /// Show what Piton's processes logged
    #[command(after_help = "Example:\n  piton logs --run amber-otter")]
    Logs(logs::Logs),
    /// The file of context, Virtual Stores and file records: check and repair it
    #[command(subcommand)]
    Data(data::Command),
    /// The keys that sign tokens: rotate, check and repair them
    #[command(subcommand)]
    Keys(keys::Command),
    /// Copy this program to where your shell finds it
    #[command(after_help = "Example:\n  piton install")]
    Install(install::Install),
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  piton completions bash > ~/.local/share/bash-completion/completions/piton"
    )]
    Completions(completions::Completions),
    /// Print the manual page, or write all of them
    #[command(after_help = "Example:\n  piton man --to ~/.local/share/man/man1")]
    Man(man::Man),
    /// Play a whole run: an agent is led, blocked, killed, resumed; then look at what it did
    #[command(after_help = "Example:\n  piton demo")]
    Demo,
    /// Prints the reference of this command line as Markdown.
    #[command(name = "internal-reference", hide = true)]
    Reference,
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test reads the sources")]
mod tests {
    use std::{fs, path::Path};

    use clap::{Parser as _, error::ErrorKind};

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
        let commands = lines.filter(|quoted| quoted.starts_with("piton ") && *quoted != "piton {}");
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
