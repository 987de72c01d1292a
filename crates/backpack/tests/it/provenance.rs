//! Commits that are made for a step of a workflow.

use piton_backpack::{Backpack, Committed, Filter};
use piton_core::port::fixed::SeededEntropy;
use piton_core::{NodeId, Provenance, RunId, SessionId};

use crate::journal::site::{Site, node};
use crate::rig::{Rig, ports};

fn step(name: &str) -> Provenance {
    let entropy = SeededEntropy::new(3);
    Provenance {
        session: SessionId::mint(&entropy),
        run: RunId::mint(&entropy),
        node: NodeId::mint(&entropy),
        step: name.to_owned(),
    }
}

fn steps(backpack: &Backpack) -> Vec<Option<String>> {
    let commits = backpack.debug().history(&Filter::default()).unwrap();
    commits.iter().map(|commit| commit.provenance().map(|found| found.step.clone())).collect()
}

#[test]
fn every_kind_of_commit_says_for_which_step_it_was_made() {
    let rig = Rig::new();
    let free = rig.node("free");
    let bound = rig.node("bound").at_step(Some(step("look")));
    let _ = free.pack("a", &1).unwrap();
    let _ = bound.pack("b", &1).unwrap();
    let _: Option<u64> = bound.unpack("b").unwrap();
    let _ = bound.quarantine("b", "wrong").unwrap();
    let _ = bound.delete("a").unwrap();
    let _ = bound.clone().at_step(None).pack("c", &1).unwrap();
    let look = Some("look".to_owned());
    let expected = [None, look.clone(), look.clone(), look.clone(), look, None];
    assert_eq!(steps(&rig.backpack), expected);
    let told: Vec<Committed> = free.history(&Filter::default()).unwrap();
    let pack = told.iter().find(|commit| commit.key.as_str() == "b").unwrap();
    assert_eq!(pack.provenance.as_deref(), Some(&step("look")));

    let text = rig.backpack.to_json().unwrap();
    let again = Backpack::from_json(&text, ports(1).0).unwrap();
    assert_eq!(steps(&again), expected);
}

#[tokio::test]
async fn a_journal_keeps_the_step_and_a_commit_without_one_is_written_as_before() {
    let directory = tempfile::tempdir().unwrap();
    let site = Site::at(directory.path());
    let backpack = site.open().await;
    let _ = node(&backpack, "free").pack("a", &1).unwrap();
    let _ = node(&backpack, "bound").at_step(Some(step("look"))).pack("b", &1).unwrap();
    backpack.close().await.unwrap();
    let again = site.open().await;
    assert_eq!(steps(again.memory()), [None, Some("look".to_owned())]);
    let commits = again.memory().debug().history(&Filter::default()).unwrap();
    assert_eq!(commits[1].provenance(), Some(&step("look")));
    assert!(!again.memory().to_json().unwrap().contains("\"provenance\":null"));
}
