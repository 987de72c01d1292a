//! Few bits as lowercase Crockford base32, most significant first: the writing of the ids, for less
//! than 128 bits.
//!
//! *Invariants*: five bits per character and no others; no aliases, no padding, no uppercase.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// `BYTES` bytes, a multiple of five and at most fifteen, as text.
pub(super) fn encode<const BYTES: usize>(bytes: [u8; BYTES]) -> String {
    const { assert!(BYTES.is_multiple_of(5) && BYTES <= 15) };
    let bits = bytes.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let characters = BYTES / 5 * 8;
    let quintets = (0..characters).rev().map(|place| (bits >> (place * 5)) & 31);
    quintets.map(|value| char::from(ALPHABET[value as usize])).collect()
}

/// The bytes that `text` was made of by [`encode`].
pub(super) fn decode<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    const { assert!(BYTES.is_multiple_of(5) && BYTES <= 15) };
    if text.len() != BYTES / 5 * 8 {
        return None;
    }
    let mut bits = 0_u128;
    for character in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == character)?;
        bits = bits << 5 | value as u128;
    }
    let (_, bytes) =
        bits.to_be_bytes().split_last_chunk().map(|(rest, last)| (rest.len(), *last))?;
    Some(bytes)
}
