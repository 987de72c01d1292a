//! Digests: known answers, one text form, one way to make them.

use piton_core::canonical::encode;
use piton_core::{Digest, DigestBuilder, DigestError, FileBytes, SnapshotRef, WorkflowHash};
use serde_json::json;

const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

// shows: WR-002
#[test]
fn the_hash_is_sha_256() {
    for (bytes, expected) in [
        (&b""[..], EMPTY),
        (b"abc", ABC),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ] {
        assert_eq!(Digest::of(&FileBytes(bytes)).to_string(), expected);
    }
}

// shows: WR-002, WR-010
#[test]
fn the_digest_of_a_value_is_that_of_its_canonical_bytes() {
    let canonical = encode(&json!({"b": 2.0, "a": "é"})).unwrap();
    let digest = Digest::of(&canonical);
    assert_eq!(canonical.as_str(), r#"{"a":"é","b":2}"#);
    assert_eq!(digest, Digest::of(&FileBytes(r#"{"a":"é","b":2}"#.as_bytes())));
    assert_eq!(
        SnapshotRef::new(digest).to_string(),
        "sha256:06c264c46ad5ada9493abd3aa2383fb205ae99d7d0bad40b03a43bfec8a1b8de"
    );
}

// shows: WR-003
#[test]
fn a_digest_is_a_prefix_and_64_lowercase_hex_digits() {
    let digest: Digest = ABC.parse().unwrap();
    assert_eq!(digest.to_string(), ABC);
    assert_eq!(format!("{digest:?}"), ABC);
    assert_eq!(digest.hex(), ABC["sha256:".len()..]);
    assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);

    let hex = &ABC["sha256:".len()..];
    for (text, expected) in [
        (hex.to_owned(), DigestError::Prefix),
        (format!("SHA256:{hex}"), DigestError::Prefix),
        (format!("sha512:{hex}"), DigestError::Prefix),
        (format!(" {ABC}"), DigestError::Prefix),
        (String::new(), DigestError::Prefix),
        ("sha256:".to_owned(), DigestError::Length),
        (ABC[..ABC.len() - 1].to_owned(), DigestError::Length),
        (format!("{ABC}0"), DigestError::Length),
        (format!("{ABC}\n"), DigestError::Length),
        (format!("sha256:{}", hex.to_uppercase()), DigestError::Character),
        (format!("sha256:{}g", &hex[1..]), DigestError::Character),
        (format!("sha256:{}é", &hex[2..]), DigestError::Character),
    ] {
        assert_eq!(text.parse::<Digest>(), Err(expected), "{text}");
        assert!(serde_json::from_value::<Digest>(json!(text)).is_err());
    }
}

// shows: WR-003
#[test]
fn digests_and_references_are_strings_in_json() {
    let digest: Digest = ABC.parse().unwrap();
    assert_eq!(encode(&digest).unwrap().as_str(), format!("\"{ABC}\""));
    let read: WorkflowHash = serde_json::from_value(json!(ABC)).unwrap();
    assert_eq!(read, WorkflowHash::new(digest));
    assert_eq!(read.digest(), digest);
    assert_eq!(encode(&read).unwrap().as_str(), format!("\"{ABC}\""));
    assert_eq!(ABC.parse(), Ok(SnapshotRef::new(digest)));
    assert!(serde_json::from_value::<SnapshotRef>(json!(ABC.to_uppercase())).is_err());
}

// shows: WR-002
#[test]
fn pieces_have_the_digest_of_the_whole() {
    let whole: Vec<u8> = (0..1000_u32).flat_map(u32::to_le_bytes).collect();
    for size in [1, 63, 64, 65, 4096] {
        let mut builder = DigestBuilder::new();
        for piece in whole.chunks(size) {
            builder.update(piece);
        }
        assert_eq!(builder.finish(), Digest::of(&FileBytes(&whole)), "{size}");
    }
    assert_eq!(DigestBuilder::new().finish().to_string(), EMPTY);
}
