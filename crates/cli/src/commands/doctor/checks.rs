//! All checks, one after the other.

use std::collections::BTreeMap;

use piton_core::Code;
use piton_runtime::request::ListWorkflows;
use piton_runtime::workspaces::KernelSandbox;

use super::finding::{Finding, Findings, Health};
use super::{clients, stored};
use crate::adapters::runs_as_root;
use crate::app::{App, Outcome};
use crate::commands::config;
use crate::commands::workspace::{WorkspaceArguments, sandbox};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::{count, first_few};
use crate::open::Open;

/// Runs all checks and reports the findings.
pub(crate) fn run(app: &App) -> Outcome {
    let wrong = config::problems(app);
    let is_configured = wrong.is_empty();
    let mut findings = vec![if is_configured {
        Finding::good("configuration", "in order")
    } else {
        Finding::bad("configuration", &Failure::Configuration(wrong))
    }];
    match app.open() {
        Ok(open) => {
            findings
                .push(Finding::good("data", format!("{} opens", app.display_path(open.root()))));
            findings.push(sessions(&open));
            findings.extend(stored::findings(app, &open));
            findings.push(workflows(app, &open));
            // Problems of their configuration are reported above.
            if is_configured {
                findings.push(files(app, &open));
            }
        }
        // Nothing opens without a valid configuration, and its problems are reported above.
        Err(_) if !is_configured => findings.push(Finding::of(
            "data",
            Health::Note,
            "not checked, nor anything in it".to_owned(),
            "Fix the configuration first.",
        )),
        Err(failure) => findings.push(Finding::bad("data", &failure)),
    }
    findings.extend(clients::findings(app));
    for finding in &mut findings {
        let next = finding.next.take();
        finding.next = next.map(|next| app.output.complete(&next).into_owned());
    }
    // Notes are advice; only what is bad makes the command fail.
    let is_sound = findings.iter().all(|finding| finding.health != Health::Bad);
    let findings = Findings { is_sound, findings };
    findings.print(app);
    app.output.reply("piton.doctor/1", &findings)?;
    Ok(if is_sound { CommandEnding::Done } else { CommandEnding::Wanting })
}

/// Checks every session on disk, with everything that it refers to. The list alone is not enough, since it may come
/// from a cache.
fn sessions(open: &Open) -> Finding {
    let list = match open.wait(open.runtime.list_sessions()) {
        Ok(list) => list,
        Err(failure) => return Finding::bad("sessions", &failure),
    };
    let readable = list.runs.iter().map(|run| (run.session_id.to_string(), Some(run.label)));
    let troubled = list.troubled.iter().flat_map(|one| {
        let labels = one.labels.iter().map(|label| Some(*label)).chain([None]);
        labels.map(|label| (one.session_id.clone(), label))
    });
    // One session can hold several runs, and a troubled one may appear in both lists: collects the labels by session.
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (session, label) in readable.chain(troubled) {
        all.entry(session).or_default().extend(label.map(|label| label.to_string()));
    }
    let (mut damaged, mut in_use) = (Vec::new(), 0);
    for (session, labels) in &all {
        let Ok(id) = session.parse() else { continue };
        match open.wait(open.runtime.is_session_sound(id)) {
            Ok(true) => {}
            // Another process writes to it now, which takes a sound session; or it was removed since the list was read.
            Err(failure) if failure.envelope().code == Code::SessionLocked => in_use += 1,
            Err(failure) if failure.envelope().code == Code::SessionNotFound => {}
            Ok(false) | Err(_) if labels.is_empty() => damaged.push((session, session.clone())),
            Ok(false) | Err(_) => {
                damaged.push((session, format!("{} ({session})", labels.join(", "))));
            }
        }
    }
    let mut found = count(all.len(), "session");
    if let [(first, _), ..] = damaged.as_slice() {
        let names: Vec<String> = damaged.iter().map(|(_, name)| name.clone()).collect();
        found = format!("{found}, {} of them damaged: {}", damaged.len(), first_few(&names));
        let next = format!("piton session verify {first}");
        return Finding::of("sessions", Health::Bad, found, next);
    }
    if in_use > 0 {
        found = format!("{found}, {in_use} of them in use and not checked");
    }
    found = format!("{found}; everything that was checked is intact");
    match open.wait(open.runtime.set_aside()) {
        Ok(kept) if kept.set_aside.is_empty() => Finding::good("sessions", found),
        Ok(kept) => {
            let kept = count(kept.set_aside.len(), "thing");
            let found = format!("{found}; {kept} taken out of sessions earlier");
            Finding::of("sessions", Health::Note, found, "piton session repairs")
        }
        Err(failure) => Finding::bad("sessions", &failure),
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

/// Checks the workspaces that are configured here.
fn files(app: &App, open: &Open) -> Finding {
    check_files(app, open).unwrap_or_else(|failure| Finding::bad("files", &failure))
}

fn check_files(app: &App, open: &Open) -> Result<Finding, Failure> {
    let declared = WorkspaceArguments::default().declared(app)?;
    // Tried out on a thread of its own: put up here, it would confine the rest of this command too.
    let sandboxed = sandbox::report_sandbox(open.root(), &declared);
    let Some(world) = WorkspaceArguments::open(open, declared)? else {
        let found = "no Workspace is configured, so agents have no file access through Piton";
        return Ok(Finding::good("files", found));
    };
    let workspaces = count(world.describe().len(), "Workspace");
    Ok(match sandboxed {
        Ok(KernelSandbox::Full) if runs_as_root() => Finding::of(
            "files",
            Health::Note,
            format!("{workspaces}; {}", sandbox::AS_ROOT),
            "Run it as a user of its own, or on a machine where nothing else matters",
        ),
        Ok(KernelSandbox::Full) => Finding::good(
            "files",
            format!(
                "{workspaces}; the kernel keeps servers from writing anywhere else and from starting programs"
            ),
        ),
        Ok(KernelSandbox::Partial) => Finding::of(
            "files",
            Health::Note,
            format!("{workspaces}; the kernel is too old for part of the sandbox around servers"),
            "Use Linux 6.2 or newer",
        ),
        Ok(KernelSandbox::None) => Finding::of(
            "files",
            Health::Note,
            format!(
                "{workspaces}; this system has no sandbox for servers, so Piton alone keeps agents inside"
            ),
            "Use Linux with Landlock",
        ),
        Err(why) => {
            Finding::of("files", Health::Bad, format!("{workspaces}; {why}"), "piton workspace map")
        }
    })
}
