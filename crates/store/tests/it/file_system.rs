//! Where a data directory can be.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use piton_core::Code;
use piton_store::local::DataDir;
use tempfile::TempDir;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_data_directory_is_made_with_all_above_it_for_its_owner_only() {
    let house = TempDir::new().unwrap();
    fs::set_permissions(house.path(), Permissions::from_mode(0o755)).unwrap();
    let root = house.path().join("a/b/c");
    let dir = DataDir::open(&root).unwrap();
    assert_eq!(dir.root(), root);
    for made in ["a", "a/b", "a/b/c", "a/b/c/sessions", "a/b/c/keys", "a/b/c/leases"] {
        assert_eq!(mode(&house.path().join(made)), 0o700, "{made}");
    }
    assert_eq!(mode(house.path()), 0o755, "what was there keeps its mode");
}

#[test]
fn a_data_directory_can_be_opened_again() {
    let house = TempDir::new().unwrap();
    let root = house.path().join("data");
    DataDir::open(&root).unwrap();
    fs::write(root.join("sessions/kept"), "x").unwrap();
    DataDir::open(&root).unwrap();
    assert!(root.join("sessions/kept").is_file());
}

#[test]
fn a_file_is_not_a_data_directory() {
    let house = TempDir::new().unwrap();
    let root = house.path().join("file");
    fs::write(&root, "x").unwrap();
    let error = DataDir::open(&root).unwrap_err();
    assert_eq!(error.code(), Code::StoreIo);
    assert_eq!(fs::read(&root).unwrap(), b"x");
}
