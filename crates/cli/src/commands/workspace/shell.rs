//! `piton workspace shell`: a person types tool calls and reads the replies that an agent would get.

use std::io;
use std::io::{BufRead as _, IsTerminal as _, Read as _};

use piton_mcp::failure_text;
use piton_runtime::CallBasis;
use piton_runtime::context::PERSON;
use piton_runtime::workspaces::{FileWorld, Tool};
use serde::Serialize;

use super::{Chosen, typed};
use crate::app::App;
use crate::bounds::SHELL_BYTES_MAX;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::open::Open;
use crate::output;

const HELP: &str = "\
Type a tool and its arguments, in order, by name, or as JSON:
  ls /                       read /project/a.md limit=5
  grep TODO /project         write /scratch/note.txt \"one line\\n\"
  edit {\"path\": \"/scratch/note.txt\", \"old_string\": \"one\", \"new_string\": \"1\"}
map shows what an agent reads when it connects, tools the tools. exit leaves.";

/// Result of one line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShellOutput {
    call: String,
    text: String,
    is_error: bool,
}

#[derive(Serialize)]
struct Transcript {
    calls: Vec<ShellOutput>,
}

pub(super) fn run(app: &App, chosen: &Chosen) -> Result<CommandEnding, Failure> {
    let (open, world) = chosen.world(app)?;
    // Prompts and hints are for a person only: a script that pipes calls in gets nothing but the replies.
    let is_watched = io::stdin().is_terminal();
    if is_watched {
        output::warn("You are the agent now. `help` says how; exit or Ctrl-D leaves.");
    }
    let mut calls = Vec::new();
    let mut input = io::stdin().lock();
    loop {
        if is_watched {
            output::ask(">");
        }
        let mut line = String::new();
        // The limit holds for each line by itself, so that a long session is not cut off after its first megabyte.
        let mut limited = input.by_ref().take(SHELL_BYTES_MAX);
        let read = limited.read_line(&mut line).map_err(Failure::io("read what you typed"))?;
        // No bytes at all mean the end of the input; an empty line still has its line break.
        if read == 0 || matches!(line.trim(), "exit" | "quit") {
            break;
        }
        if read as u64 == SHELL_BYTES_MAX && !line.ends_with('\n') {
            // The rest of the line would be read as a line of its own, and half a line may be a valid call: end
            // instead.
            let what = format!("A line has more than {SHELL_BYTES_MAX} bytes, and was not called.");
            return Err(Failure::refused(what, "Write long contents in several calls."));
        }
        if !line.trim().is_empty() {
            // A failed call is a reply like any other, so the shell continues.
            let said = answer(&open, &world, line.trim());
            app.output.print(said.text.trim_end());
            calls.push(said);
        }
    }
    let has_failed = calls.iter().any(|call| call.is_error);
    app.output.reply("piton.workspace.shell/1", &Transcript { calls })?;
    // A person saw each error; a script needs the exit code.
    Ok(if has_failed && !is_watched { CommandEnding::Wanting } else { CommandEnding::Done })
}

fn answer(open: &Open, world: &FileWorld, line: &str) -> ShellOutput {
    let (text, is_error) = match line {
        "help" => (HELP.to_owned(), false),
        "map" => (world.map(), false),
        "tools" => {
            let names: Vec<&str> = world.tools().into_iter().map(Tool::as_str).collect();
            (names.join(" "), false)
        }
        line => match typed::parse(line) {
            Err(why) => (format!("Not understood: {why}. `help` says how to type a call."), true),
            Ok((tool, arguments)) => {
                // No run is behind these calls: the change records name the person, and no step.
                let standing = CallBasis::default();
                match open.block_on(world.call(PERSON, &standing, &tool, arguments)) {
                    Ok(text) => (text, false),
                    Err(envelope) => (failure_text(&envelope), true),
                }
            }
        },
    };
    ShellOutput { call: line.to_owned(), text, is_error }
}
