//! The command-line reference, as Markdown.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use crate::{
    arguments::Arguments, bounds::REFERENCE_COLUMNS, exit::CommandEnding, failure::Failure, output,
};

const INFALLIBLE: &str = "writing to a string does not fail";

/// Prints the reference.
pub(super) fn print() -> Result<CommandEnding, Failure> {
    output::bytes(page().as_bytes())?;
    Ok(CommandEnding::Done)
}

fn page() -> String {
    let mut root = Arguments::command();
    // Propagates global options, so that the help of every command lists them.
    root.build();
    let mut text = "# The command line\n\nGenerated from the program by `cargo xtask generate`. Every command takes `--json`, which prints one document \
                    whose `schema` names its shape, and `--data-dir`.\n".to_owned();
    section(&mut root, "", &mut text);
    text
}

/// Writes a section for a command, and one for each of its subcommands.
fn section(command: &mut Command, before: &str, text: &mut String) {
    let name = format!("{before}{}", command.get_name());
    write!(text, "\n## {name}\n\n").expect(INFALLIBLE);
    let help = command.clone().term_width(REFERENCE_COLUMNS).render_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(text, "```text\n{}\n```\n", lines.join("\n").trim_end()).expect(INFALLIBLE);
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        section(inner, &format!("{name} "), text);
    }
}
