//! Two processes and one backpack.

use std::path::Path;

use piton_backpack::journal::{JournaledBackpack, Mode, read};
use piton_backpack::{Error, Options};

use super::site::{Site, holder, node, pack_id, saved};
use crate::worker::{answers, go, print_line, spawn, wait_for_go};

/// In a child: holds a backpack open until it is asked to go on.
pub(crate) fn hold(arguments: &[&str]) {
    let [root] = arguments else { panic!("{arguments:?}") };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let site = Site::at(Path::new(root));
        let (id, who) = (pack_id(), holder("piton flow run, process 4711"));
        let opened = JournaledBackpack::open(
            &id,
            who,
            Mode::Durable,
            Options::default(),
            site.ports.clone(),
        );
        let backpack = opened.await.unwrap().backpack;
        saved(&node(&backpack, "child"), node(&backpack, "child").pack("x", &1)).await;
        print_line("open");
        wait_for_go();
        backpack.close().await.unwrap();
        print_line("closed");
    });
}

// shows: BP-103
#[tokio::test]
async fn a_second_writer_is_refused_at_once_with_the_holder_named_and_a_reader_is_not() {
    let root = tempfile::tempdir().unwrap();
    let mut child = spawn("hold", &[root.path().to_str().unwrap()]);
    let mut said = answers(&mut child);
    assert_eq!(said.next().as_deref(), Some("open"));
    let site = Site::at(root.path());
    let error = site.try_open(Mode::Durable, Options::default()).await.map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }));
    assert_eq!(
        error.envelope().message,
        "The backpack `pack_a` is open for writing elsewhere: piton flow run, process 4711."
    );
    let (reader, _) =
        read(&site.journal, &site.blobs, &pack_id(), site.ports.ports.clone()).await.unwrap();
    assert_eq!(reader.debug().peek("x").unwrap(), Some(1));
    go(&mut child);
    assert_eq!(said.next().as_deref(), Some("closed"));
    assert!(child.wait().unwrap().success());
    let backpack = site.open().await;
    assert_eq!(node(&backpack, "b").unpack("x").unwrap(), Some(1));
}
