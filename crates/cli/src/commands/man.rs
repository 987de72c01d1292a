//! `piton man` and `piton completions`, and the reference of the command line as Markdown: everything that is
//! generated from the definition of the command line.
#![expect(clippy::disallowed_methods, reason = "writes the pages")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use serde_json::json;

use crate::app::{App, Outcome};
use crate::arguments::Arguments;
use crate::bounds::REFERENCE_COLUMNS;
use crate::complete;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::output;

const INFALLIBLE: &str = "writing to a string does not fail";

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Args)]
pub(crate) struct Man {
    /// Write a page for each command into this directory
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
}

impl Completions {
    pub(crate) fn run(self) -> Outcome {
        print(&complete::script(self.shell)?)
    }
}

impl Man {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let Some(directory) = self.to else {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut page);
            rendered.map_err(Failure::io("write the page"))?;
            return print(&page);
        };
        let failed = || Failure::io(format!("write pages to {}", directory.display()));
        fs::create_dir_all(&directory).map_err(failed())?;
        clap_mangen::generate_to(Arguments::command(), &directory).map_err(failed())?;
        writeln!(
            app.output,
            "Wrote the pages to {}. Read one: man piton",
            app.display_path(&directory)
        );
        app.output.finish("piton.man/1", &json!({ "directory": directory }))
    }
}

/// Prints the reference of the command line as Markdown.
pub(crate) fn print_reference() -> Outcome {
    let mut root = Arguments::command();
    // Propagates global options, so that the help of every command lists them.
    root.build();
    let mut text = "# The command line\n\nGenerated from the program by `cargo xtask generate`. Every command takes `--json`, which prints one document \
                    whose `schema` names its shape, and `--data-dir`.\n".to_owned();
    section(&mut root, "", &mut text);
    print(text.as_bytes())
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

fn print(bytes: &[u8]) -> Outcome {
    output::bytes(bytes)?;
    Ok(CommandEnding::Done)
}
