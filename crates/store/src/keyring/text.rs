//! The written form of a key ring: one line of canonical JSON.
//!
//! Invariants: what is not exactly a ring of version 1 is refused with the reason, never guessed
//! at or replaced. A refusal never repeats what was found, because that may be a key.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use piton_core::canonical;
use serde::{Deserialize, Serialize};

use super::{Ring, SigningKey};
use crate::Error;

/// The version that is read and written.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RingText {
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

/// Writes a ring down.
pub(crate) fn render(ring: &Ring) -> Vec<u8> {
    let text = RingText {
        current: render_key(&ring.current),
        previous: ring.previous.as_ref().map(render_key),
        v: VERSION,
    };
    let mut bytes = canonical::encode(&text)
        .expect("texts and a small number have a canonical form")
        .into_vec();
    bytes.push(b'\n');
    bytes
}

fn render_key(key: &SigningKey) -> KeyText {
    KeyText { alg: Algorithm::HmacSha256, key: URL_SAFE_NO_PAD.encode(key.bytes) }
}

/// Reads a ring back.
pub(crate) fn parse(bytes: &[u8]) -> Result<Ring, Error> {
    let corrupt = |problem| Error::KeyringCorrupt { problem };
    let version: VersionText =
        serde_json::from_slice(bytes).map_err(|_| corrupt("it is not JSON with a version"))?;
    if version.v != VERSION {
        return Err(Error::UnsupportedVersion {
            what: "the key ring",
            found: version.v,
            known: VERSION,
        });
    }
    let text: RingText = serde_json::from_slice(bytes)
        .map_err(|_| corrupt("it is not made of a current key and at most one previous key"))?;
    Ok(Ring {
        current: parse_key(&text.current)?,
        previous: text.previous.as_ref().map(parse_key).transpose()?,
    })
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
            "{{\"current\":{{\"alg\":\"hmac_sha256\",\"keyBase64Url\":\"{zero}\"}},\
             \"previous\":{{\"alg\":\"hmac_sha256\",\"keyBase64Url\":\"{one}\"}},\"v\":1}}\n"
        );
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
    fn what_is_not_a_ring_is_refused_without_repeating_it() {
        let problem = "the key ring is damaged: it is not JSON with a version";
        for text in ["", "{", "[]", "secret", r#"{"v":"1"}"#, r#"{"v":1} secret"#] {
            refused(text, problem);
        }
        let problem = "the key ring is damaged: a key is not base64url without padding";
        refused(&with("secret=", r#""previous":null,"v":1"#), problem);
        refused(r#"{"keys":[],"v":2}"#, "the key ring has version 2; this Piton knows 1");
    }
}
