//! What keeps the content of Virtual Stores alive.

use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_store::memory::MemoryTable;
use piton_store::port::{Roots as _, TakenOut};
use piton_workspaces::virtual_store::{VirtualRoots, VirtualStore};

use crate::world::{memory_ports, namespace, put};

#[tokio::test]
async fn every_large_file_of_every_namespace_is_a_root_as_long_as_it_is_there() {
    let ports = memory_ports(1);
    let of = |name: &str| VirtualStore::new(ports.clone(), &namespace(&[name]), None);
    let large = |byte: u8| vec![byte; 5_000];
    put(&of("a"), "d/one", &large(1)).await;
    put(&of("b"), "two", &large(2)).await;
    put(&of("b"), "small", b"kept in its row").await;
    let roots = VirtualRoots::new(ports.table.clone());
    let found = async || {
        let mut found = roots.roots(None).await.unwrap().0;
        found.sort_unstable();
        found
    };
    let mut wanted: Vec<Digest> = [1, 2].map(|byte| Digest::of(&FileBytes(&large(byte)))).into();
    wanted.sort_unstable();
    assert_eq!(found().await, wanted);
    put(&of("b"), "two", &large(3)).await;
    let gone = Digest::of(&FileBytes(&large(2)));
    assert!(!found().await.contains(&gone));
}

#[tokio::test]
async fn what_an_entry_refers_to_that_a_repair_took_out_of_the_table_is_a_root() {
    let digest = Digest::of(&FileBytes(b"large"));
    let value = format!("{{\"kind\":\"fike\",\"digest\":\"{digest}\",").into_bytes();
    let table = MemoryTable::new();
    table.take_out(TakenOut::Entry { key: b"any"[..].into(), value });
    let roots = VirtualRoots::new(Arc::new(table)).roots(None).await.unwrap().0;
    assert!(roots.contains(&digest));
}
