//! Checks of the data beside sessions: keys, tables, backpacks, context and Virtual Stores.

use piton_runtime::workspaces::check_virtual;
use piton_store::Error;

use super::finding::{Finding, Health};
use crate::app::App;
use crate::commands::backpack::backpacks;
use crate::commands::context::project_context;
use crate::failure::Failure;
use crate::messages::{count, listed};
use crate::open::Open;

/// Checks everything that is stored beside sessions.
pub(super) fn findings(app: &App, open: &Open) -> Vec<Finding> {
    let table = table(open);
    let has_table = table.health == Health::Good;
    let mut findings = vec![keys(open), table, stored_backpacks(open)];
    // Both live in the table file, whose problems are reported above.
    if has_table {
        findings.push(context(app, open));
        findings.push(virtual_stores(open));
    }
    findings
}

fn keys(open: &Open) -> Finding {
    match open.wait(open.runtime.verify_keys()) {
        Ok(()) if open.adapters.has_keys() => Finding::good("keys", "can be read"),
        // Sessions without keys mean that the keys were lost, not that they were never made.
        Ok(()) if open.adapters.has_sessions() => Finding::of(
            "keys",
            Health::Note,
            "there are none, although there are sessions: earlier tokens no longer work".to_owned(),
            "An agent gets new ones with resume_session",
        ),
        Ok(()) => Finding::good("keys", "none yet; the first token creates them"),
        Err(failure) => Finding::bad("keys", &failure),
    }
}

fn table(open: &Open) -> Finding {
    let damaged = |found: String| Finding::of("tables", Health::Bad, found, "piton data repair");
    match open.block_on(open.adapters.table_status()) {
        Ok(status) if status.is_replaced => {
            Finding::bad("tables", &Failure::from(Error::TableReplaced))
        }
        Ok(status) if !status.problems.is_empty() => {
            damaged(format!("table.sqlite3 is damaged: {}", status.problems[0]))
        }
        Ok(_) => Finding::good("tables", "sound"),
        Err(error @ Error::TableDamaged { .. }) => damaged(Failure::from(error).envelope().message),
        Err(error) => Finding::bad("tables", &Failure::from(error)),
    }
}

fn stored_backpacks(open: &Open) -> Finding {
    let verdicts = match open.wait(backpacks(open).verify(None)) {
        Ok(verdicts) => verdicts,
        Err(failure) => return Finding::bad("backpacks", &failure),
    };
    let found = count(verdicts.len(), "backpack");
    let damaged: Vec<_> = verdicts.iter().filter(|verdict| !verdict.is_sound).collect();
    let unfinished = verdicts.iter().find(|verdict| verdict.unfinished_bytes > 0);
    let (health, found, first) = match (damaged.first(), unfinished) {
        (Some(first), _) => {
            let found = format!("{found}, {} of them damaged. {}", damaged.len(), first.summary);
            (Health::Bad, found, *first)
        }
        (None, Some(first)) => (Health::Note, format!("{found}. {}", first.summary), first),
        (None, None) => return Finding::whole("backpacks", &found),
    };
    Finding::of("backpacks", health, found, format!("piton backpack verify {}", first.backpack))
}

/// Checks the context of the project here. Other projects are checked from their own directories.
fn context(app: &App, open: &Open) -> Finding {
    let checked =
        project_context(app, open).and_then(|project| open.wait(project.context.validate()));
    match checked {
        Ok(found) if !found.is_sound() => {
            let first = &found.damage[0];
            let damage = count(found.damage.len(), "damaged entry");
            let found = format!("{damage}, the first: {}: {}", first.what, first.detail);
            Finding::of("context", Health::Bad, found, "piton context repair")
        }
        Ok(found) if found.roots == 0 => Finding::good("context", "this project was never scanned"),
        Ok(found) => {
            let frames = count(found.frames, "frame");
            match found.lost {
                0 => Finding::whole("context", &format!("{frames} of this project")),
                lost => {
                    let lost = count(lost, "entry");
                    let found =
                        format!("{frames} of this project; {lost} taken out of use earlier");
                    Finding::of("context", Health::Note, found, "piton context repairs")
                }
            }
        }
        Err(failure) => Finding::bad("context", &failure),
    }
}

fn virtual_stores(open: &Open) -> Finding {
    match open.block_on(check_virtual(&open.files.kept)) {
        Ok(found) if found.damaged.is_empty() => {
            Finding::whole("virtual stores", &count(found.files, "file"))
        }
        Ok(found) => Finding::of(
            "virtual stores",
            Health::Bad,
            format!("damaged: {}", listed(&found.damaged)),
            "piton workspace repair",
        ),
        Err(error) => Finding::bad("virtual stores", &Failure::from(error)),
    }
}
