//! Several processes make the first ring at the same moment.

use std::path::Path;

use piton_core::Digest;
use piton_store::port::KeyRing;
use serde_json::Value;
use tempfile::TempDir;

use super::{open, written};
use crate::worker;

const PROCESSES: usize = 8;
const ROUNDS: usize = 5;

/// In a child: signs when told to, and says the signature.
pub(crate) fn sign(arguments: &[&str]) {
    let [root] = arguments else { panic!("the root is missing") };
    let ring = open(Path::new(root));
    worker::print_line("ready");
    worker::wait_for_go();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let signature = runtime.block_on(ring.sign(b"message")).unwrap();
    worker::print_line(&Digest::from_bytes(signature.0).hex());
}

#[test]
fn processes_that_make_the_ring_at_once_end_with_one_ring() {
    for _ in 0..ROUNDS {
        let root = TempDir::new().unwrap();
        let path = root.path().to_str().unwrap();
        let mut children: Vec<_> =
            (0..PROCESSES).map(|_| worker::spawn("keyring-sign", &[path])).collect();
        let mut answers: Vec<_> = children.iter_mut().map(worker::answers).collect();
        for answer in &mut answers {
            assert_eq!(answer.next().as_deref(), Some("ready"));
        }
        children.iter_mut().for_each(worker::go);
        let mut signatures: Vec<_> = answers.iter_mut().filter_map(Iterator::next).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(signatures.len(), PROCESSES);
        signatures.dedup();
        assert_eq!(signatures.len(), 1, "all signed with the same key");
        assert_eq!(written(root.path())["previous"], Value::Null);
    }
}
