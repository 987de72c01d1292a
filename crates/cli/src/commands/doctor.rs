//! `piton doctor`: looks whether everything that Piton needs is in order.

use std::{collections::BTreeSet, path::Path};

use piton_runtime::request::{ListWorkflows, SessionReference};
use serde::Serialize;

use crate::{
    app::App,
    bounds::CLIENT_FILE_BYTES_MAX,
    commands::mcp::{Client, Scope, entry_in},
    exit::Ending,
    failure::Failure,
    files,
    open::Open,
    style::{State, styled},
    words::count,
};

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Good,
    Note,
    Bad,
}

/// Something that was looked at.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    health: Health,
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings {
    is_sound: bool,
    findings: Vec<Finding>,
}

impl Finding {
    fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, health: Health::Good, found: found.into(), next: None }
    }

    fn of(what: &'static str, health: Health, found: String, next: impl Into<String>) -> Self {
        Self { what, health, found, next: Some(next.into()) }
    }

    fn bad(what: &'static str, failure: &Failure) -> Self {
        let told = failure.envelope();
        Self::of(what, Health::Bad, told.message, told.suggestion)
    }
}

/// Looks at everything, and tells what was found.
pub(super) fn run(app: &App) -> Result<Ending, Failure> {
    let mut findings = Vec::new();
    match app
        .configuration()
        .and_then(|loaded| loaded.settings_here().map_err(Failure::Configuration))
    {
        Ok(_) => findings.push(Finding::good("configuration", "in order")),
        Err(failure) => findings.push(Finding::bad("configuration", &failure)),
    }
    match app.open() {
        Ok(open) => {
            findings.push(Finding::good("data", format!("{} opens", app.shown(open.root()))));
            findings.push(sessions(&open));
            findings.push(workflows(app, &open));
        }
        Err(failure) => findings.push(Finding::bad("data", &failure)),
    }
    findings.extend(Client::ALL.into_iter().filter_map(|client| told(app, client)));
    let is_sound = findings.iter().all(|finding| finding.health != Health::Bad);
    let findings = Findings { is_sound, findings };
    say(app, &findings);
    app.output.reply("piton.doctor/1", &findings)?;
    Ok(if is_sound { Ending::Done } else { Ending::Wanting })
}

/// Checks every session as the medium holds it: a list may come from what was computed before.
fn sessions(open: &Open) -> Finding {
    let list = match open.wait(open.runtime.list_sessions()) {
        Ok(list) => list,
        Err(failure) => return Finding::bad("sessions", &failure),
    };
    let readable = list.runs.iter().map(|run| run.session_id.to_string());
    let troubled = list.troubled.iter().map(|one| one.session_id.clone());
    let all: BTreeSet<String> = readable.chain(troubled).collect();
    let is_damaged = |session: &&String| {
        let reference = SessionReference((*session).clone());
        let verified = open.wait(open.runtime.verify_session(&reference));
        !verified.is_ok_and(|found| found.is_sound)
    };
    let damaged: Vec<&String> = all.iter().filter(is_damaged).collect();
    let found = count(all.len(), "session");
    match damaged.as_slice() {
        [] => Finding::good("sessions", format!("{found}, every byte as it was written")),
        [first, ..] => {
            let found = format!("{found}, {} of them damaged", damaged.len());
            let next = format!("piton session verify {first}");
            Finding::of("sessions", Health::Bad, found, next)
        }
    }
}

fn workflows(app: &App, open: &Open) -> Finding {
    let listed = match open.connect(app).list_workflows(&ListWorkflows::default()) {
        Ok(listed) => listed,
        Err(envelope) => return Finding::bad("workflows", &Failure::from(envelope)),
    };
    let found = format!("{} can be started", listed.workflows.len());
    match listed.problems.len() {
        0 => Finding::good("workflows", found),
        broken => {
            let found = format!(
                "{found}, {} that {} not load",
                count(broken, "file"),
                if broken == 1 { "does" } else { "do" }
            );
            Finding::of("workflows", Health::Note, found, "piton workflow validate")
        }
    }
}

/// Whether a client is told to start Piton, and whether that is there; nothing if the client is not used here.
fn told(app: &App, client: Client) -> Option<Finding> {
    let home = app.environment.home()?;
    let user_dir = app.environment.user_dir()?;
    let file = client.file(Scope::User, home, user_dir.parent()?);
    let text = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX).ok()??;
    let again = format!("piton mcp install --client {}", client.word());
    let program = match entry_in(client, &file, &text) {
        Err(failure) => return Some(Finding::bad(client.name(), &failure)),
        Ok(None) => {
            return Some(Finding::of(
                client.name(),
                Health::Note,
                "is not told to start Piton".to_owned(),
                again,
            ));
        }
        Ok(Some(program)) => program,
    };
    Some(if files::exists(Path::new(&program)) {
        Finding::good(client.name(), format!("starts {}", app.shown(Path::new(&program))))
    } else {
        let found = format!("is told to start {program}, which is not there");
        Finding::of(client.name(), Health::Bad, found, again)
    })
}

fn say(app: &App, findings: &Findings) {
    let output = &app.output;
    let bad = findings.findings.iter().filter(|finding| finding.health == Health::Bad).count();
    match bad {
        0 => output.say("Everything that Piton needs is in order."),
        1 => output.say("1 thing is not in order."),
        count => output.say(format_args!("{count} things are not in order.")),
    }
    for Finding { what, health, found, next } in &findings.findings {
        let mark = match health {
            Health::Good => styled(State::Good, "✓"),
            Health::Note => styled(State::Attention, "·"),
            Health::Bad => styled(State::Bad, "✗"),
        };
        output.say(format_args!(
            "  {mark} {what:<14} {}",
            found.replace('\n', "\n                   ")
        ));
        if let Some(next) = next {
            output.say(format_args!("                   → {next}"));
        }
    }
}
