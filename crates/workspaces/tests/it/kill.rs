//! Writers that die without warning.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{env, fs, io};

use piton_core::port::fixed::SeededEntropy;
use piton_store::testing::LongRun;
use piton_workspaces::audit::Ledger;
use piton_workspaces::physical::PhysicalOptions;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{Actor, Files, Workspaces};
use serde_json::json;

use crate::conformance::local_ports;
use crate::snapshot::tree;
use crate::world::{definition, namespace, physical};

const ROOT: &str = "PITON_WORKSPACES_WRITER";
const LINES: usize = 2_000;

/// The files of one root: a directory and a Virtual Store, with records of both.
pub(crate) fn open(root: &Path) -> (Files, Arc<Ledger>) {
    let ports = local_ports(&root.join("data"));
    let ledger = Arc::new(Ledger::new(Arc::clone(&ports.table), Arc::clone(&ports.clock), "p"));
    let kept: Arc<dyn Store> = Arc::new(VirtualStore::new(ports, &namespace(&["n"]), None));
    let set = Workspaces::new(vec![
        definition("/p", "read-write", physical(&root.join("files"), PhysicalOptions::default())),
        definition("/v", "read-write", kept),
    ]);
    let files = Files::new(Arc::new(set.unwrap()));
    let actor = Actor { agent: "writer".into(), ..Actor::default() };
    (files.recorded(Arc::clone(&ledger), actor), ledger)
}

/// In a child: replaces files until it is killed, and says each that is acknowledged.
#[tokio::test]
async fn a_child_writes_until_it_is_killed() {
    let Some(root) = env::var_os(ROOT) else {
        return;
    };
    let (files, _) = open(Path::new(&root));
    for round in 0_u64.. {
        for path in ["/p/f.txt", "/v/f.txt"] {
            let content = format!("{round:08}\n").repeat(LINES);
            let reply = files.call("write", json!({ "path": path, "content": content })).await;
            assert!(!reply.is_error(), "{}", reply.text);
        }
        writeln!(io::stdout().lock(), "\nacknowledged {round}").unwrap();
    }
}

/// The round that a file is from, if it is whole.
fn round_of(text: &str) -> u64 {
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), LINES, "a torn file: {text:.100}");
    assert!(lines.iter().all(|line| *line == lines[0]), "a mixed file: {text:.100}");
    lines[0].parse().unwrap()
}

async fn kill_once(root: &Path, after: u64) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "kill::a_child_writes_until_it_is_killed", "--nocapture"])
        .env(ROOT, root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = None;
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        if let Some(round) = line.strip_prefix("acknowledged ") {
            acknowledged = Some(round.parse::<u64>().unwrap());
        }
        if acknowledged >= Some(after) {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (files, ledger) = open(root);
    ledger.recover(files.workspaces()).await.unwrap();
    for path in ["/p/f.txt", "/v/f.txt"] {
        let read = files.call("read", json!({ "path": path })).await;
        assert!(!read.is_error(), "{}", read.text);
        let round = round_of(read.text.split_once('\n').unwrap().1);
        assert!(Some(round) >= acknowledged, "{path}: {round} after {acknowledged:?}");
        let blame = ledger.blame(files.workspaces(), &path.parse().unwrap()).await.unwrap();
        assert!(!blame.changed_outside, "{path}: {:?}", blame.records.last());
    }
    let stray = tree(&root.join("files")).into_keys().find(|name| name.contains(".piton-"));
    assert_eq!(stray, None);
}

mod long {
    use super::*;

    // shows: WS-035
    #[tokio::test]
    async fn a_killed_writer_leaves_the_old_or_the_new_content_and_its_record_is_settled() {
        let run = LongRun::start("workspaces: killed writers");
        println!("{run}");
        let luck = SeededEntropy::new(run.seed());
        let kills = LongRun::size(15, 300);
        for _ in 0..kills {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir(root.path().join("files")).unwrap();
            kill_once(root.path(), luck.next_u64() % 5).await;
        }
        run.report(&[("kills", kills)]);
    }
}
