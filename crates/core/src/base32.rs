//! Lowercase Crockford base32, most significant bit first, for values of at most 128 bits.
//!
//! *Invariants*: one text per value and one value per text. Where the bits do not fill the characters, as with the 130
//! bits of the 26 characters of an id, the first character is limited to what is left. There are no aliases (`i`, `l`,
//! `o`, uppercase), no padding and no separators.

use crate::id::IdProblem;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Value of each byte; `NONE` for bytes outside the alphabet.
const VALUES: [u8; 256] = {
    let mut table = [NONE; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        #[expect(clippy::cast_possible_truncation, reason = "the alphabet has 32 characters")]
        {
            table[ALPHABET[value] as usize] = value as u8;
        }
        value += 1;
    }
    table
};
const NONE: u8 = 0xff;

/// Encodes `BYTES` bytes as the `CHARACTERS` that hold them.
pub fn encode<const BYTES: usize, const CHARACTERS: usize>(bytes: [u8; BYTES]) -> [u8; CHARACTERS] {
    const { assert!(BYTES <= 16 && CHARACTERS == (BYTES * 8).div_ceil(5)) };
    let mut bits = bytes.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    let mut text = [0; CHARACTERS];
    // Five characters at a time, because shifting a wide number is slow.
    for group in text.rchunks_mut(5) {
        #[expect(clippy::cast_possible_truncation, reason = "what is cut off is of other groups")]
        let mut low = bits as u32;
        for character in group.iter_mut().rev() {
            *character = ALPHABET[(low & 31) as usize];
            low >>= 5;
        }
        bits >>= 25; // tidy: number of bits of a group
    }
    text
}

/// Decodes text that [`encode`] wrote, and no other.
pub fn decode<const BYTES: usize, const CHARACTERS: usize>(
    text: &str,
) -> Result<[u8; BYTES], IdProblem> {
    const { assert!(BYTES <= 16 && CHARACTERS == (BYTES * 8).div_ceil(5)) };
    if text.len() != CHARACTERS {
        return Err(IdProblem::Length { expected: CHARACTERS });
    }
    let mut bits = 0_u128;
    for (position, byte) in text.bytes().enumerate() {
        let value = VALUES[usize::from(byte)];
        if value == NONE {
            return Err(IdProblem::Character {
                allowed: "the digits 0-9 and the letters a-z without i, l, o and u",
            });
        }
        // The bits that the bytes do not fill must be zero, or the value would be too large.
        if position == 0 && value >= 32 >> (CHARACTERS * 5 - BYTES * 8) {
            return Err(IdProblem::Overflow);
        }
        bits = bits << 5 | u128::from(value);
    }
    // The value sits in the low bytes of the 128 bits.
    Ok(*bits.to_be_bytes().last_chunk().expect("at most 16 bytes are asked for"))
}
