//! Where a data directory can be.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use piton_core::Code;
use piton_store::local::{DataDir, LocalBlobs};
use piton_store::port::{BlobNamespace, BlobReader, Blobs};
use tempfile::TempDir;

use crate::site::block_on;

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
fn a_directory_that_somebody_else_uses_is_refused_and_left_alone() {
    for foreign in ["Documents", "notes\n.txt", "trash-old"] {
        let house = TempDir::new().unwrap();
        fs::create_dir(house.path().join("trash")).unwrap();
        fs::write(house.path().join("trash/precious"), "x").unwrap();
        fs::write(house.path().join(foreign), "x").unwrap();
        let told = DataDir::open(house.path()).unwrap_err().envelope();
        assert_eq!(told.code, Code::ValidationError);
        let named = foreign.escape_debug().to_string();
        assert!(told.message.contains(&named) && !told.message.contains('\n'), "{}", told.message);
        assert!(told.suggestion.starts_with("Nothing was touched."), "{}", told.suggestion);
        assert_eq!(fs::read_dir(house.path()).unwrap().count(), 2);
        assert!(house.path().join("trash/precious").is_file());
    }
}

#[test]
fn a_directory_with_nothing_in_the_way_becomes_a_data_directory() {
    let house = TempDir::new().unwrap();
    fs::create_dir(house.path().join("lost+found")).unwrap();
    fs::create_dir(house.path().join("logs")).unwrap();
    fs::write(house.path().join(".profile"), "x").unwrap();
    DataDir::open(house.path()).unwrap();
    // From now on it says itself that it is one, whatever is put beside.
    fs::write(house.path().join("notes.txt"), "x").unwrap();
    DataDir::open(house.path()).unwrap();
    // One from before there was such a file is known by what is in it.
    fs::remove_file(house.path().join("notes.txt")).unwrap();
    fs::write(house.path().join("table.sqlite3-wal"), "").unwrap();
    fs::remove_file(house.path().join("format.json")).unwrap();
    DataDir::open(house.path()).unwrap();
    assert!(house.path().join("format.json").is_file());
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

#[test]
fn a_copy_of_a_data_directory_that_lacks_what_was_empty_takes_blobs() {
    let house = TempDir::new().unwrap();
    let blobs = || LocalBlobs::new(DataDir::open(house.path()).unwrap());
    block_on(blobs().put(BlobNamespace::Artifacts, b"first".to_vec())).unwrap();
    for entry in fs::read_dir(house.path().join("artifacts")).unwrap() {
        // Fails where something is, which stays.
        let _ = fs::remove_dir(entry.unwrap().path());
    }
    for number in 0_u8..20 {
        let digest = block_on(blobs().put(BlobNamespace::Artifacts, vec![number])).unwrap();
        let found = block_on(blobs().get(BlobNamespace::Artifacts, digest)).unwrap();
        assert_eq!(found, Some(vec![number]));
    }
}
