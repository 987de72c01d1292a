//! What version 1 wrote is read by every later version.
//!
//! `data/v1` was written once and is never written again. If a change of the code makes these tests fail, the format
//! has changed: it needs a new version and a migration.

use std::fs;
use std::path::Path;

use piton_backpack::journal::Mode;
use piton_backpack::{Action, Backpack, Filter, Options};

use crate::journal::site::{Site, assert_same, commits};
use crate::rig::ports;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn document() -> Backpack {
    let text = fs::read_to_string("tests/it/data/v1.json").unwrap();
    Backpack::from_json(&text, ports(1).0).unwrap()
}

// shows in part: BP-061 (the part about versions that were written)
#[test]
fn a_document_of_version_1_still_loads_and_is_written_the_same() {
    let backpack = document();
    let text = fs::read_to_string("tests/it/data/v1.json").unwrap();
    assert_eq!(backpack.to_json().unwrap(), text);
    let actions: std::collections::BTreeSet<Action> =
        commits(&backpack).iter().map(piton_backpack::Commit::action).collect();
    assert_eq!(actions.len(), Action::ALL.len(), "something of everything");
}

// shows in part: BP-101 (the part about versions that were written)
#[tokio::test]
async fn a_journal_of_version_1_still_opens() {
    let root = tempfile::tempdir().unwrap();
    copy(Path::new("tests/it/data/v1"), root.path());
    let site = Site::at(root.path());
    let options = Options { max_value_size: 500, ..Options::default() };
    let opened = site.try_open(Mode::Durable, options).await.unwrap();
    assert_eq!(opened.torn_tail, None);
    assert_same(&document(), opened.backpack.memory());
    let history = opened.backpack.history(&Filter::default()).await.unwrap();
    for commit in history {
        opened.backpack.snapshot_at_commit(commit.id()).await.unwrap();
    }
}
