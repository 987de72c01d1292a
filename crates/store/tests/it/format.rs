//! The file that says which format a data directory has.

use std::fs;
use std::path::Path;

use piton_core::Code;
use piton_store::Error;
use piton_store::local::DataDir;
use tempfile::TempDir;

fn file(root: &Path) -> String {
    fs::read_to_string(root.join("format.json")).unwrap()
}

#[test]
fn the_first_open_writes_the_format_and_later_ones_leave_it() {
    let root = TempDir::new().unwrap();
    let first = DataDir::open(root.path()).unwrap();
    assert_eq!(file(root.path()), "{\"version\":1,\"oldestReader\":1}\n");
    assert!(!root.path().join("format.json.new").exists());
    let changed = fs::metadata(root.path().join("format.json")).unwrap().modified().unwrap();
    let _second = DataDir::open(root.path()).unwrap();
    drop(first);
    let _third = DataDir::open(root.path()).unwrap();
    let after = fs::metadata(root.path().join("format.json")).unwrap().modified().unwrap();
    assert_eq!(after, changed);
}

#[test]
fn many_that_open_a_new_directory_at_once_end_with_one_file() {
    let root = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        let open = || DataDir::open(root.path()).map(|_| ());
        let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        for one in opened {
            one.join().unwrap().unwrap();
        }
    });
    assert_eq!(file(root.path()), "{\"version\":1,\"oldestReader\":1}\n");
}

#[test]
fn what_a_newer_piton_wrote_is_refused_unless_it_says_that_this_one_can_read_it() {
    let root = TempDir::new().unwrap();
    let newer = r#"{"version": 3, "oldestReader": 2, "more": true}"#;
    fs::write(root.path().join("format.json"), newer).unwrap();
    let refused = DataDir::open(root.path()).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedVersion { found: 3, known: 1, .. }));
    let told = refused.envelope();
    assert_eq!(told.code, Code::StoreUnsupportedVersion);
    assert_eq!(told.message, "The data directory has version 3; this Piton knows 1.");
    assert!(told.suggestion.starts_with("Upgrade Piton"));
    assert_eq!(file(root.path()), newer);

    let readable = r#"{"version": 3, "oldestReader": 1}"#;
    fs::write(root.path().join("format.json"), readable).unwrap();
    DataDir::open(root.path()).unwrap();
    assert_eq!(file(root.path()), readable);
}

#[test]
fn a_file_that_cannot_be_understood_is_left_and_told() {
    for text in ["", "{", "[]", r#"{"version": -1, "oldestReader": 1}"#, &" ".repeat(5000)] {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("format.json"), text).unwrap();
        let told = DataDir::open(root.path()).unwrap_err().envelope();
        assert!(told.suggestion.contains("Move format.json"), "{}", told.suggestion);
        assert_eq!(file(root.path()), text);
    }
}
