//! Strings: `"` and `\` and the control characters are escaped, everything else is copied.
//!
//! *Invariants*: exactly one form per character: the two-character escape where JSON has one, else
//! `\u00xx` in lowercase.

/// What follows the backslash for each byte; 0 where the byte is copied, `u` for `\u00xx`.
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

/// Appends `text` with its quotes, and tells whether anything was escaped.
#[inline]
pub(super) fn write_string(text: &str, out: &mut Vec<u8>) -> bool {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut copied = 0;
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

/// How many bytes can be copied before one needs an escape, or `None` if all can.
#[inline]
fn next_escape(bytes: &[u8]) -> Option<usize> {
    let mut skipped = 0;
    while let Some(chunk) = bytes[skipped..].first_chunk() {
        if has_escape(*chunk) {
            break;
        }
        skipped += 8;
    }
    // A last chunk that overlaps the one before spares the byte loop for all but short strings.
    if let Some(chunk) = bytes.last_chunk()
        && bytes.len() - skipped < 8
        && !has_escape(*chunk)
    {
        return None;
    }
    let rest = &bytes[skipped..];
    let plain = rest.iter().position(|byte| ESCAPES[usize::from(*byte)] != 0)?;
    Some(skipped + plain)
}

/// Whether one of eight bytes needs an escape. Each test sets the high bit of a byte that is below
/// 0x20, equal to `"` or equal to `\`; a borrow can only set more bits above a byte that is one, so
/// the answer for the word is exact.
#[inline]
const fn has_escape(chunk: [u8; 8]) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_ne_bytes(chunk);
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
                for position in 0..17 {
                    let mut bytes = [filler; 17];
                    bytes[position] = byte;
                    assert_eq!(
                        next_escape(&bytes),
                        slow_next_escape(&bytes),
                        "byte {byte:#x} at {position} among {filler:#x}"
                    );
                }
            }
        }
    }
}
