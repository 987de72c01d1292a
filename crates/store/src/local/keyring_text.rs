//! The written form of a key ring: one line of canonical JSON.
//!
//! Version 2 is written. It has a checksum over everything else, because a key with a changed character is a key as
//! well. Version 1 has none and is still read; the next rotation or repair writes version 2.
//!
//! Invariants: anything that is not exactly a ring of one of these versions is refused with the reason, and never
//! guessed at or replaced. A refusal never repeats what was found, because that may be a key.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use piton_core::{Digest, FileBytes, canonical};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::keyring::{Ring, SigningKey};

/// Version that is written.
const VERSION: u64 = 2;

/// Version without a checksum.
const UNCHECKED: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RingText {
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    current: KeyText,
    previous: Option<KeyText>,
    v: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyText {
    alg: Algorithm,
    #[serde(rename = "keyBase64Url")]
    key: String,
}

#[derive(Serialize, Deserialize)]
enum Algorithm {
    #[serde(rename = "hmac_sha256")]
    HmacSha256,
}

#[derive(Deserialize)]
struct VersionText {
    v: u64,
}

/// Renders a ring as text.
pub(super) fn render(ring: &Ring) -> Vec<u8> {
    let mut text = RingText {
        checksum: None,
        current: render_key(&ring.current),
        previous: ring.previous.as_ref().map(render_key),
        v: VERSION,
    };
    // The checksum covers the text without itself.
    text.checksum = Some(Digest::of(&FileBytes(&encode(&text))).hex());
    let mut bytes = encode(&text);
    bytes.push(b'\n');
    bytes
}

fn encode(text: &RingText) -> Vec<u8> {
    canonical::encode(text).expect("texts and a small number have a canonical form").into_vec()
}

fn render_key(key: &SigningKey) -> KeyText {
    KeyText { alg: Algorithm::HmacSha256, key: URL_SAFE_NO_PAD.encode(key.bytes) }
}

/// Parses a ring.
pub(super) fn parse(bytes: &[u8]) -> Result<Ring, Error> {
    let corrupt = |problem| Error::KeyringCorrupt { problem };
    let version: VersionText =
        serde_json::from_slice(bytes).map_err(|_| corrupt("it is not JSON with a version"))?;
    // A ring of a newer version has other fields, and must be reported as newer, not as damaged.
    let text: Result<RingText, _> = serde_json::from_slice(bytes);
    let Ok(text) = text else {
        return Err(match version.v {
            UNCHECKED | VERSION => {
                corrupt("it is not made of a current key and at most one previous key")
            }
            found => Error::UnsupportedVersion { what: "the key ring", found, known: VERSION },
        });
    };
    let ring = Ring {
        current: parse_key(&text.current)?,
        previous: text.previous.as_ref().map(parse_key).transpose()?,
    };
    // Another version has other fields. With these fields, another number is a changed one.
    match (text.v, &text.checksum) {
        (UNCHECKED, None) => Ok(ring),
        // Rendered again and compared, which checks the checksum and every other byte at once.
        (VERSION, Some(_)) if render(&ring) == bytes => Ok(ring),
        _ => Err(corrupt("it was changed after it was written")),
    }
}

fn parse_key(text: &KeyText) -> Result<SigningKey, Error> {
    let Algorithm::HmacSha256 = text.alg;
    let bytes = URL_SAFE_NO_PAD
        .decode(&text.key)
        .map_err(|_| Error::KeyringCorrupt { problem: "a key is not base64url without padding" })?;
    let bytes = bytes
        .try_into()
        .map_err(|_| Error::KeyringCorrupt { problem: "a key does not have 32 bytes" })?;
    Ok(SigningKey::new(bytes))
}

#[cfg(test)]
mod tests {
    use piton_core::port::fixed::SeededEntropy;

    use super::*;
    use crate::bounds::KEYRING_BYTES_MAX;

    fn with(current: &str, rest: &str) -> String {
        format!(r#"{{"current":{{"alg":"hmac_sha256","keyBase64Url":"{current}"}},{rest}}}"#)
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn a_ring_survives_being_written_down() {
        let entropy = SeededEntropy::new(7);
        let first = Ring::generate(&entropy);
        assert_eq!(parse(&render(&first)).unwrap(), first);
        let second = first.rotated(&entropy);
        assert_eq!(parse(&render(&second)).unwrap(), second);
    }

    #[test]
    fn a_ring_is_one_line_of_canonical_json() {
        let ring =
            Ring { current: SigningKey::new([0; 32]), previous: Some(SigningKey::new([255; 32])) };
        let (zero, one) = ("A".repeat(43), format!("{}8", "_".repeat(42)));
        let text = format!(
            "{{{{checksum}}\"current\":{{\"alg\":\"hmac_sha256\",\"keyBase64Url\":\"{zero}\"}},\
             \"previous\":{{\"alg\":\"hmac_sha256\",\"keyBase64Url\":\"{one}\"}},\"v\":2}}"
        );
        // From `sha256sum`.
        let checksum = "5624fbed4c0f79d0756a438c1f2689fea063ebe94788aea58d720171f5e05741";
        let checksum = format!("\"checksum\":\"{checksum}\",");
        let text = text.replace("{checksum}", &checksum) + "\n";
        assert_eq!(String::from_utf8(render(&ring)).unwrap(), text);
        assert!(text.len() as u64 <= KEYRING_BYTES_MAX);
    }

    // shows: WR-229
    #[test]
    fn a_key_that_does_not_have_32_bytes_is_refused() {
        for bytes in [0, 1, 16, 31, 33, 64] {
            let key = URL_SAFE_NO_PAD.encode(vec![7; bytes]);
            let problem = "the key ring is damaged: a key does not have 32 bytes";
            refused(&with(&key, r#""previous":null,"v":1"#), problem);
        }
        let key = URL_SAFE_NO_PAD.encode([7; 32]);
        assert!(parse(with(&key, r#""previous":null,"v":1"#).as_bytes()).is_ok());
    }

    // shows: WR-231
    #[test]
    fn anything_beside_a_current_and_a_previous_key_is_refused() {
        let key = URL_SAFE_NO_PAD.encode([7; 32]);
        let shape = "the key ring is damaged: it is not made of a current key and at most one \
                     previous key";
        let other = format!(r#"{{"alg":"hmac_sha256","keyBase64Url":"{key}"}}"#);
        refused(&with(&key, &format!(r#""previous":{other},"next":{other},"v":1"#)), shape);
        refused(&with(&key, &format!(r#""previous":[{other},{other}],"v":1"#)), shape);
        refused(&format!(r#"{{"current":[{other},{other}],"previous":null,"v":1}}"#), shape);
        refused(&format!(r#"{{"previous":{other},"v":1}}"#), shape);
        let twice = format!(r#""previous":null,"current":{other},"v":1"#);
        refused(&with(&key, &twice), shape);
        let unknown = other.replace("hmac_sha256", "none");
        refused(&with(&key, &format!(r#""previous":{unknown},"v":1"#)), shape);
    }

    #[test]
    fn a_ring_of_version_1_is_read_and_written_with_a_checksum() {
        let key = URL_SAFE_NO_PAD.encode([7; 32]);
        let ring = parse(with(&key, r#""previous":null,"v":1"#).as_bytes()).unwrap();
        let written = String::from_utf8(render(&ring)).unwrap();
        assert!(written.contains("checksum") && written.contains(r#""v":2"#), "{written}");
        assert_eq!(parse(written.as_bytes()).unwrap(), ring);
    }

    #[test]
    fn a_flip_of_any_bit_is_damage() {
        let entropy = SeededEntropy::new(7);
        let written = render(&Ring::generate(&entropy).rotated(&entropy));
        for at in 0..written.len() * 8 {
            let mut flipped = written.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            let found = parse(&flipped);
            assert!(matches!(found, Err(Error::KeyringCorrupt { .. })), "bit {at}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_a_ring_is_refused_without_repeating_it() {
        let problem = "the key ring is damaged: it is not JSON with a version";
        for text in ["", "{", "[]", "secret", r#"{"v":"1"}"#, r#"{"v":1} secret"#] {
            refused(text, problem);
        }
        let problem = "the key ring is damaged: a key is not base64url without padding";
        refused(&with("secret=", r#""previous":null,"v":1"#), problem);
        refused(r#"{"keys":[],"v":3}"#, "the key ring has version 3; this Piton knows 2");
    }
}
