//! Writers that die without warning.

use std::path::Path;
use std::time::Instant;

use piton_backpack::Options;
use piton_backpack::journal::Mode;
use piton_core::port::fixed::SeededEntropy;
use piton_store::testing::LongRun;

use super::site::{Site, commits, node, saved};
use crate::worker::{answers, print_line, spawn};

/// In a child: packs from three nodes at once until it is killed, and says each commit that is acknowledged.
pub(crate) fn pack_for_ever(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let backpack = Site::at(Path::new(root)).open().await;
        let mut nodes = Vec::new();
        for number in 0..3 {
            let node = node(&backpack, &format!("n{number}"));
            nodes.push(tokio::spawn(async move {
                for count in 0_u64.. {
                    let key = format!("key-{number}");
                    let commit = match count % 5 {
                        4 => saved(&node, node.pack(&key, &"large".repeat(30_000))).await,
                        3 => saved(&node, node.quarantine_value(&key, &count, "tried")).await,
                        _ => saved(&node, node.pack(&key, &count)).await,
                    };
                    print_line(&format!(
                        "{commit} {}",
                        node.unpack::<serde_json::Value>(&key).is_ok()
                    ));
                }
            }));
        }
        for node in nodes {
            node.await.unwrap();
        }
    });
}

mod long {
    use super::*;

    // shows: BP-100
    #[test]
    fn every_acknowledged_commit_is_there_after_a_kill() {
        let kills = LongRun::size(20, 200);
        let run = LongRun::start("backpack: kills of writers");
        let luck = SeededEntropy::new(run.seed());
        let root = tempfile::tempdir().unwrap();
        let (mut acknowledged, mut torn) = (Vec::new(), 0);
        for _ in 0..kills {
            let mut child = spawn("pack-for-ever", &[root.path().to_str().unwrap()]);
            let mut said = answers(&mut child);
            let mut told: Vec<String> =
                said.by_ref().take((luck.next_u64() % 6) as usize).collect();
            let (pause, moment) = (Instant::now(), u128::from(luck.next_u64() % 4_000));
            while pause.elapsed().as_micros() < moment {
                std::hint::spin_loop();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            told.extend(said);
            // The last line may be cut off.
            let whole = told.iter().filter_map(|line| line.strip_suffix(" true"));
            acknowledged.extend(whole.map(str::to_owned));

            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (found, was_torn) = runtime.block_on(async {
                let site = Site::at(root.path());
                let opened = site.try_open(Mode::Durable, Options::default()).await.unwrap();
                let found = commits(opened.backpack.memory());
                opened.backpack.close().await.unwrap();
                (found, opened.torn_tail.is_some())
            });
            torn += u64::from(was_torn);
            let ids: std::collections::BTreeSet<String> =
                found.iter().map(|commit| commit.id().to_string()).collect();
            let lost: Vec<&String> = acknowledged
                .iter()
                .filter(|id| found.len() < 10_000 && !ids.contains(*id))
                .collect();
            assert!(lost.is_empty(), "{run}: {lost:?} of {} were acknowledged", acknowledged.len());
        }
        assert!(!acknowledged.is_empty(), "{run}: no writer got to pack anything");
        run.report(&[
            ("kills", kills),
            ("acknowledged", acknowledged.len() as u64),
            ("torn", torn),
        ]);
    }
}
