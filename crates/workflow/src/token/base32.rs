//! Lowercase Crockford base32, most significant bit first, for values shorter than 128 bits. Ids are written
//! the same way.
//!
//! *Invariants*: five bits per character, no more and no less; no aliases, no padding, no uppercase.

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Encodes `BYTES` bytes, a multiple of five and at most fifteen.
pub(super) fn encode<const BYTES: usize>(bytes: [u8; BYTES]) -> String {
    const { assert!(BYTES.is_multiple_of(5) && BYTES <= 15) };
    // At most fifteen bytes, so the bits fit into 128.
    let bits = bytes.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    // Five bytes are exactly eight characters, so no bits are left over and each value has one text.
    let characters = BYTES / 5 * 8;
    let quintets = (0..characters).rev().map(|place| (bits >> (place * 5)) & 31);
    quintets.map(|value| char::from(ALPHABET[value as usize])).collect()
}

/// Decodes text that [`encode`] wrote, or returns `None` if it did not write this text.
pub(super) fn decode<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    const { assert!(BYTES.is_multiple_of(5) && BYTES <= 15) };
    // Together with the closed alphabet, the exact length rules out every alternative spelling.
    if text.len() != BYTES / 5 * 8 {
        return None;
    }
    let mut bits = 0_u128;
    for character in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == character)?;
        bits = bits << 5 | value as u128;
    }
    // The value sits in the low bytes of the 128 bits.
    let (_, bytes) =
        bits.to_be_bytes().split_last_chunk().map(|(rest, last)| (rest.len(), *last))?;
    Some(bytes)
}
