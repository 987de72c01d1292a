//! The key ring on disk: its file, its faults, and several processes at once.

mod faults;
pub(crate) mod processes;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use piton_core::Code;
use piton_store::Error;
use piton_store::local::{DataDir, LocalKeyRing, SystemEntropy};
use piton_store::port::{KeyAge, KeyRing};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A key of 32 zero bytes.
const ZEROS: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn open(root: &Path) -> LocalKeyRing {
    LocalKeyRing::new(DataDir::open(root).unwrap(), Arc::new(SystemEntropy))
}

fn file(root: &Path) -> PathBuf {
    root.join("keys/keyring.json")
}

fn written(root: &Path) -> Value {
    serde_json::from_slice(&fs::read(file(root)).unwrap()).unwrap()
}

// shows: WR-230, WR-236
#[tokio::test]
async fn the_first_signature_makes_the_ring_for_its_owner_only() {
    let root = TempDir::new().unwrap();
    let ring = open(root.path());
    assert_eq!(ring.verify(b"message", &[0; 32]).await.unwrap(), None);
    assert!(!file(root.path()).exists(), "a question makes no keys");
    ring.sign(b"message").await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file(root.path())), 0o600);
    assert_eq!(mode(&root.path().join("keys")), 0o700);
    ring.rotate().await.unwrap();
    assert_eq!(mode(&file(root.path())), 0o600);
    let names: Vec<_> = fs::read_dir(root.path().join("keys")).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing unfinished is left");
}

// shows: WR-234
#[tokio::test]
async fn a_rotation_moves_the_current_key_and_writes_a_new_one() {
    let root = TempDir::new().unwrap();
    let ring = open(root.path());
    ring.sign(b"message").await.unwrap();
    let mut before = written(root.path());
    assert_eq!(before["previous"], Value::Null);
    for _ in 0..3 {
        ring.rotate().await.unwrap();
        let after = written(root.path());
        assert_eq!(after["previous"], before["current"]);
        assert_ne!(after["current"], before["current"]);
        assert_ne!(after["current"], before["previous"]);
        before = after;
    }
}

// shows: WR-233
#[tokio::test]
async fn a_ring_that_is_years_old_is_not_rotated() {
    let root = TempDir::new().unwrap();
    let ring = open(root.path());
    let signature = ring.sign(b"message").await.unwrap();
    let before = fs::read(file(root.path())).unwrap();
    let years = Duration::from_hours(20 * 365 * 24);
    let handle = OpenOptions::new().write(true).open(file(root.path())).unwrap();
    handle.set_modified(SystemTime::now() - years).unwrap();
    for ring in [ring, open(root.path())] {
        assert_eq!(ring.sign(b"message").await.unwrap(), signature);
        let verified = ring.verify(b"message", &signature.0).await.unwrap();
        assert_eq!(verified, Some(KeyAge::Current));
    }
    assert_eq!(fs::read(file(root.path())).unwrap(), before);
}

// shows: WR-235
#[tokio::test]
async fn a_rotation_by_another_process_is_seen_by_the_next_call() {
    let root = TempDir::new().unwrap();
    let (one, other) = (open(root.path()), open(root.path()));
    let first = one.sign(b"message").await.unwrap();
    for expected in [Some(KeyAge::Current), Some(KeyAge::Previous), None, None] {
        assert_eq!(one.verify(b"message", &first.0).await.unwrap(), expected);
        other.rotate().await.unwrap();
        let newest = other.sign(b"message").await.unwrap();
        let verified = one.verify(b"message", &newest.0).await.unwrap();
        assert_eq!(verified, Some(KeyAge::Current));
        assert_eq!(one.sign(b"message").await.unwrap(), newest);
    }
}

// shows: WR-229, WR-231
#[tokio::test]
async fn a_damaged_ring_is_refused_and_never_replaced() {
    let key = json!({ "alg": "hmac_sha256", "keyBase64Url": ZEROS });
    let short = json!({ "alg": "hmac_sha256", "keyBase64Url": &ZEROS[..42] });
    let damaged = [
        json!({ "current": short, "previous": null, "v": 1 }).to_string(),
        json!({ "current": key, "previous": short, "v": 1 }).to_string(),
        json!({ "current": key, "previous": key, "oldest": key, "v": 1 }).to_string(),
        json!({ "current": key, "previous": null, "v": 1 }).to_string() + "rest",
        String::new(),
        "{\"current\":".to_owned(),
        " ".repeat(1_000_000),
    ];
    for text in damaged {
        let root = TempDir::new().unwrap();
        let ring = open(root.path());
        fs::write(file(root.path()), &text).unwrap();
        let refusals = [
            ring.sign(b"message").await.map(drop),
            ring.verify(b"message", &[0; 32]).await.map(drop),
            ring.rotate().await,
        ];
        for refusal in refusals {
            let Err(error @ Error::KeyringCorrupt { .. }) = refusal else {
                panic!("not refused: {text}");
            };
            assert_eq!(error.code(), Code::KeyringCorrupt);
            assert!(!error.to_string().contains(ZEROS), "a refusal shows no key");
        }
        assert_eq!(fs::read_to_string(file(root.path())).unwrap(), text);
    }
}

#[tokio::test]
async fn a_ring_of_a_later_version_is_left_alone() {
    let root = TempDir::new().unwrap();
    let ring = open(root.path());
    fs::write(file(root.path()), r#"{"keys":[],"v":3}"#).unwrap();
    let error = ring.rotate().await.unwrap_err();
    assert!(matches!(error, Error::UnsupportedVersion { found: 3, known: 2, .. }), "{error}");
    assert_eq!(written(root.path()), json!({ "keys": [], "v": 3 }));
}

#[tokio::test]
async fn a_ring_that_another_process_keeps_writing_is_busy_and_then_free() {
    let root = TempDir::new().unwrap();
    let ring = open(root.path());
    let signature = ring.sign(b"message").await.unwrap();
    let held = File::create(root.path().join("leases/keyring.lock")).unwrap();
    held.lock().unwrap();
    let error = ring.rotate().await.unwrap_err();
    assert_eq!(error.code(), Code::StoreBusy, "{error}");
    let verified = ring.verify(b"message", &signature.0).await.unwrap();
    assert_eq!(verified, Some(KeyAge::Current), "reading waits for nobody");
    drop(held);
    ring.rotate().await.unwrap();
    let verified = ring.verify(b"message", &signature.0).await.unwrap();
    assert_eq!(verified, Some(KeyAge::Previous));
}
