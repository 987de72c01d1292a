//! Strings: `"`, `\` and the control characters are escaped, everything else is copied.
//!
//! *Invariants*: each character has exactly one form: the two-character escape if JSON has one, otherwise `\u00xx` in
//! lowercase.

/// Character after the backslash for each byte: 0 if the byte is copied, `u` for `\u00xx`.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Appends `text` with its quotes. Returns true if anything was escaped.
#[inline(never)]
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) -> bool {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut copied = 0;
    // Runs without an escape are copied as a whole; most strings consist of one such run.
    while let Some(plain) = next_escape(&bytes[copied..]) {
        let at = copied + plain;
        out.extend_from_slice(&bytes[copied..at]);
        write_escape(bytes[at], out);
        copied = at + 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
    copied > 0
}

/// Returns the number of bytes that can be copied before one needs an escape, or `None` if all can.
#[inline]
fn next_escape(bytes: &[u8]) -> Option<usize> {
    let mut skipped = 0;
    // Find the first chunk with an escape; the byte loop below then finds its position.
    while let Some(chunk) = bytes[skipped..].first_chunk() {
        if has_escape_wide(chunk) {
            break;
        }
        skipped += WIDE;
    }
    // Final chunks that overlap the ones before avoid the byte loop for all but short strings.
    if bytes.len() - skipped < WIDE && is_plain_at_the_end(bytes, skipped) {
        return None;
    }
    let rest = &bytes[skipped..];
    let plain = rest.iter().position(|byte| ESCAPES[usize::from(*byte)] != 0)?;
    Some(skipped + plain)
}

/// Number of bytes in a vector of the smallest processor that we build for.
const WIDE: usize = 16;

/// True if one of 16 bytes needs an escape. Without a branch, this compiles to a few vector instructions.
#[inline]
fn has_escape_wide(chunk: &[u8; WIDE]) -> bool {
    let escaped =
        |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    chunk.iter().fold(0, |found, byte| found | escaped(*byte)) != 0
}

/// True if nothing from `skipped` on needs an escape, as far as whole chunks show. Nothing before it may need one.
#[inline]
fn is_plain_at_the_end(bytes: &[u8], skipped: usize) -> bool {
    // The last 16 bytes may reach back before `skipped`, where everything is plain already.
    if let Some(chunk) = bytes.last_chunk() {
        return !has_escape_wide(chunk);
    }
    // A string shorter than that is covered by two words of eight bytes, which may overlap.
    match (bytes[skipped..].first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => !has_escape(*first) && !has_escape(*last),
        _ => false,
    }
}

/// True if one of eight bytes needs an escape. Each test sets the high bit of a byte that is below 0x20, equal to `"`
/// or equal to `\`. A borrow can only set more bits above such a byte, so the answer for the whole word is exact.
#[inline]
const fn has_escape(chunk: [u8; 8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_ne_bytes(chunk);
    // The exclusive or turns a byte that equals the character into zero, which the subtraction then detects.
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGH != 0
}

#[cold]
fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match ESCAPES[usize::from(byte)] {
        b'u' => {
            out.extend_from_slice(b"\\u00");
            out.push(DIGITS[usize::from(byte >> 4)]);
            out.push(DIGITS[usize::from(byte & 0xf)]);
        }
        letter => out.extend_from_slice(&[b'\\', letter]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow_next_escape(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\')
    }

    #[test]
    fn the_word_scan_finds_the_same_escape_as_a_byte_scan_at_every_position() {
        for byte in 0..=u8::MAX {
            for filler in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff] {
                for len in [1, 7, 8, 9, 15, 16, 17, 31, 33] {
                    for position in 0..len {
                        let mut bytes = vec![filler; len];
                        bytes[position] = byte;
                        assert_eq!(
                            next_escape(&bytes),
                            slow_next_escape(&bytes),
                            "byte {byte:#x} at {position} of {len} among {filler:#x}"
                        );
                    }
                }
            }
        }
    }
}
