//! Completion in a shell: the script that a shell loads, and the answers to it, such as the names of runs.
//!
//! *Invariants*: an answer creates no data directory, and reads a bounded part of an index, however much is stored.
//! Whatever goes wrong, nothing is offered and nothing is printed: a shell would show it in the middle of the line.
//!
//! *Limitations*: where bringing the index up to date takes longer than a moment, the newest runs may be missing.
#![expect(
    clippy::disallowed_methods,
    reason = "the shell asks through the environment and the arguments"
)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use clap::{ArgMatches, CommandFactory as _};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, Shell};
use piton_core::Code;
use piton_runtime::backpack::inspect::{BackpackReference, PointReference};
use piton_runtime::page::Page;
use piton_runtime::request::{Freshness, RunQuery};
use tokio::time::timeout;

use crate::app::{App, process_environment};
use crate::arguments::Arguments;
use crate::bounds::{COMPLETION_WAIT, COMPLETIONS_MAX};
use crate::commands::backpack::backpacks;
use crate::commands::workflow::source_files;
use crate::failure::Failure;
use crate::messages::cell;
use crate::open::Open;
use crate::output::Output;

/// The variable by which the script asks. The underscore keeps it apart from the settings.
const VARIABLE: &str = "_PITON_COMPLETE";

/// Answers a shell that asks for completions. Returns false if none asks.
pub(crate) fn answer() -> bool {
    if env::var_os(VARIABLE).is_none() {
        return false;
    }
    let directory = env::current_dir().ok();
    CompleteEnv::with_factory(Arguments::command)
        .var(VARIABLE)
        .try_complete(env::args_os(), directory.as_deref())
        .unwrap_or(true)
}

/// Returns the script that makes a shell ask this program.
pub(crate) fn script(shell: Shell) -> Result<Vec<u8>, Failure> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).expect("every shell has a completer");
    completer
        .write_registration(VARIABLE, "piton", "piton", "piton", &mut script)
        .map_err(Failure::io("write the script"))?;
    if !matches!(shell, Shell::Bash | Shell::Fish) {
        return Ok(script);
    }
    // A shell that no longer finds the program complains in the middle of the line, unless told not to.
    let text = String::from_utf8_lossy(&script);
    let quiet = text.replacen("\"piton\" -- ", "\"piton\" 2>/dev/null -- ", 1);
    Ok(quiet.replacen("fish piton -- ", "fish piton 2>/dev/null -- ", 1).into_bytes())
}

/// Completes the name of a run.
pub(crate) fn runs() -> ArgValueCompleter {
    offering(run_names)
}

/// Completes the id of a workflow.
pub(crate) fn workflows() -> ArgValueCompleter {
    offering(workflow_ids)
}

/// Completes the name of a backpack.
pub(crate) fn backpack_names() -> ArgValueCompleter {
    offering(backpack_ids)
}

/// Completes the name of a run or a backpack.
pub(crate) fn things() -> ArgValueCompleter {
    offering(|typed| {
        let mut all = run_names(typed)?;
        all.extend(backpack_ids(typed)?);
        Some(all)
    })
}

/// Completes a key of the backpack that the words before it name.
pub(crate) fn keys() -> ArgValueCompleter {
    offering(key_names)
}

/// Completes an error code.
pub(crate) fn codes() -> ArgValueCompleter {
    offering(|_| Some(Code::ALL.iter().map(|code| offer(code.as_str(), code.meaning())).collect()))
}

/// Completes the words of a command, after `piton help`.
pub(crate) fn commands() -> ArgValueCompleter {
    offering(|_| {
        let mut command = Arguments::command();
        let before = words();
        for word in before.get(2..before.len().saturating_sub(1)).unwrap_or_default() {
            command = command.find_subcommand(word)?.clone();
        }
        let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        let about = |inner: &clap::Command| inner.get_about().map(ToString::to_string);
        Some(inner.map(|one| offer(one.get_name(), &about(one).unwrap_or_default())).collect())
    })
}

/// Offers those of the candidates for a typed text that begin with it.
fn offering(find: fn(&str) -> Option<Vec<CompletionCandidate>>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |typed: &OsStr| {
        let Some(typed) = typed.to_str() else { return Vec::new() };
        let mut found = find(typed).unwrap_or_default();
        found.retain(|one| one.get_value().to_str().is_some_and(|name| name.starts_with(typed)));
        found.truncate(COMPLETIONS_MAX);
        found
    })
}

fn offer(name: impl Into<String>, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(name.into()).help(Some(cell(about).into()))
}

/// Returns the newest runs whose name begins with `typed`.
fn run_names(typed: &str) -> Option<Vec<CompletionCandidate>> {
    // Names of runs are two words; nothing else is worth a query.
    if !typed.chars().all(|one| one.is_ascii_lowercase() || one == '-') || typed.starts_with('-') {
        return None;
    }
    let query = if typed.is_empty() { String::new() } else { format!("label:{typed}*") };
    let open = open(&app())?;
    let request = RunQuery {
        query,
        limit: Some(COMPLETIONS_MAX),
        freshness: Freshness::Indexed,
        ..RunQuery::default()
    };
    // What is indexed by then stays indexed, so the next answer begins further on.
    let _ = open.block_on(async { timeout(COMPLETION_WAIT, open.runtime.catch_up_runs()).await });
    let page = open.wait(open.runtime.run_page(&request)).ok()?;
    let offered = page.runs.iter().map(|found| {
        let run = &found.run;
        offer(run.label.to_string(), &format!("{}: {}", run.workflow.id, run.title.as_str()))
    });
    Some(offered.collect())
}

fn workflow_ids(_: &str) -> Option<Vec<CompletionCandidate>> {
    let files = source_files(&app()).ok()?;
    let all = files.contents.workflows.iter();
    Some(
        all.map(|(id, found)| {
            offer(id.to_string(), found.workflow.name.as_deref().unwrap_or_default())
        })
        .collect(),
    )
}

/// Returns the names of all backpacks, without reading one.
fn backpack_ids(_: &str) -> Option<Vec<CompletionCandidate>> {
    let open = open(&app())?;
    let streams = open.block_on(open.adapters.backpacks.journal.streams()).ok()?;
    Some(streams.iter().map(|stream| offer(stream.as_str(), "")).collect())
}

fn key_names(_: &str) -> Option<Vec<CompletionCandidate>> {
    // `piton backpack at NAME …` and `piton blame state NAME …`: the name is the third of the words.
    let name = words().into_iter().nth(3)?;
    let open = open(&app())?;
    let page = Page { limit: COMPLETIONS_MAX, ..Page::default() };
    let all = backpacks(&open);
    let state = open.wait(all.at(&BackpackReference(name), &PointReference::Newest, page)).ok()?;
    Some(state.items.iter().map(|item| offer(item.key.to_string(), &item.summary)).collect())
}

/// Returns the words that are typed so far, without options and the data directory.
fn words() -> Vec<String> {
    let mut words = typed_words();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == DATA_DIR {
            words.next();
        } else if !word.to_string_lossy().starts_with('-') {
            kept.push(word.to_string_lossy().into_owned());
        }
    }
    kept
}

const DATA_DIR: &str = "--data-dir";

/// Iterates over the words of the line that is typed.
fn typed_words() -> impl Iterator<Item = OsString> {
    env::args_os().skip_while(|word| word != "--").skip(1)
}

/// Returns the context that the typed command would have.
fn app() -> App {
    let mut words = typed_words().skip_while(|word| word != DATA_DIR).skip(1);
    App {
        environment: process_environment(),
        output: Output::new(false, ArgMatches::default()),
        command: "completion".to_owned(),
        chosen_dir: words.next().map(Into::into),
        log: OnceLock::new(),
    }
}

/// Opens the data directory, if there is one: pressing a key must not create it.
fn open(app: &App) -> Option<Open> {
    let settings = app.configuration().ok()?.settings();
    if app.data_dir(&settings).ok()?.is_dir() { app.open().ok() } else { None }
}
