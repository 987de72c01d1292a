//! Checks what is stored beside sessions: keys, tables, backpacks.

use piton_store::{Error, port::Namespace};

use super::finding::{Finding, Health};
use crate::{commands::backpack::backpacks, failure::Failure, open::Open, words::count};

/// Checks everything that is stored beside sessions.
pub(super) fn findings(open: &Open) -> Vec<Finding> {
    vec![keys(open), table(open), stored_backpacks(open)]
}

fn keys(open: &Open) -> Finding {
    match open.wait(open.runtime.verify_keys()) {
        Ok(()) => Finding::good("keys", "can be read"),
        Err(failure) => {
            Finding::of("keys", Health::Bad, failure.envelope().message, "piton keys repair")
        }
    }
}

fn table(open: &Open) -> Finding {
    let damaged = |found: String| Finding::of("tables", Health::Bad, found, "piton data repair");
    match open.table_status() {
        Ok(status) if !status.problems.is_empty() => {
            damaged(format!("table.sqlite3 is damaged: {}", status.problems[0]))
        }
        Ok(status) if status.is_empty && depends_on_it(open) => Finding::of(
            "tables",
            Health::Bad,
            "table.sqlite3 is empty, while files of context or Virtual Stores are there: it was deleted or replaced"
                .to_owned(),
            "Restore table.sqlite3 from a backup, or begin anew: piton context scan",
        ),
        Ok(_) => Finding::good("tables", "sound"),
        Err(error @ Error::TableDamaged { .. }) => damaged(Failure::from(error).envelope().message),
        Err(error) => Finding::bad("tables", &Failure::from(error)),
    }
}

/// Whether something is stored that only an entry of a table could have led to.
fn depends_on_it(open: &Open) -> bool {
    let blobs = open.blobs();
    [Namespace::Context, Namespace::Virtual].into_iter().any(|namespace| {
        let listed = open.block_on(blobs.list(namespace, None, 1));
        listed.is_ok_and(|found| !found.is_empty())
    }) || open.has_stamps()
}

fn stored_backpacks(open: &Open) -> Finding {
    let verdicts = match open.wait(backpacks(open).verify(None)) {
        Ok(verdicts) => verdicts,
        Err(failure) => return Finding::bad("backpacks", &failure),
    };
    let found = count(verdicts.len(), "backpack");
    let damaged: Vec<_> = verdicts.iter().filter(|verdict| !verdict.is_sound).collect();
    match damaged.as_slice() {
        [] => Finding::good("backpacks", format!("{found}, every byte as it was written")),
        [first, ..] => {
            let found = format!("{found}, {} of them damaged. {}", damaged.len(), first.summary);
            let next = format!("piton backpack verify {}", first.backpack);
            Finding::of("backpacks", Health::Bad, found, next)
        }
    }
}
