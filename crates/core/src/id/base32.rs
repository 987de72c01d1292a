//! 128 bits as 26 characters of lowercase Crockford base32, most significant first.
//!
//! *Invariants*: one text per value and one value per text. 26 characters hold 130 bits, so the first one is `0` to
//! `7`. There are no aliases (`i`, `l`, `o`, uppercase) and no separators.

use super::error::IdProblem;

/// Length of the text.
pub(super) const TEXT_LEN: usize = 26;

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

pub(super) fn encode(bytes: [u8; 16]) -> [u8; TEXT_LEN] {
    let bits = u128::from_be_bytes(bytes);
    let mut text = [0; TEXT_LEN];
    // 128 bits are three bits for the first character and five for each of the other 25.
    text[0] = ALPHABET[(bits >> 125) as usize]; // tidy: number of bits behind the first three
    // Five characters at a time, because shifting a wide number is slow.
    for (group, characters) in text[1..].chunks_exact_mut(5).enumerate() {
        #[expect(clippy::cast_possible_truncation, reason = "what is cut off is of other groups")]
        let bits = (bits >> (100 - 25 * group)) as u32; // tidy: number of bits behind a group
        for (place, character) in characters.iter_mut().enumerate() {
            *character = ALPHABET[(bits >> (20 - 5 * place) & 31) as usize];
        }
    }
    text
}

pub(super) fn decode(text: &str) -> Result<[u8; 16], IdProblem> {
    if text.len() != TEXT_LEN {
        return Err(IdProblem::Length { expected: TEXT_LEN });
    }
    let mut bits = 0_u128;
    for (position, byte) in text.bytes().enumerate() {
        let value = VALUES[usize::from(byte)];
        if value == NONE {
            return Err(IdProblem::Character {
                allowed: "the digits 0-9 and the letters a-z without i, l, o and u",
            });
        }
        // Five more bits per character: the first of 26 may hold only three, or the value exceeds 128 bits.
        if position == 0 && value > 7 {
            return Err(IdProblem::Overflow);
        }
        bits = bits << 5 | u128::from(value);
    }
    Ok(bits.to_be_bytes())
}
