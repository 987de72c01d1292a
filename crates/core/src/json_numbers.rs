//! The numbers of a JSON text before a reader rounds them. Everything here is pure.
//!
//! A reader turns a whole number that does not fit into 64 bits into a double, and refuses a text with a number beyond
//! every double. Only the text has the digits, so they are preserved here.
//!
//! *Limitations*: a text that is not JSON is scanned all the same; the result is not JSON either.

use std::ops::Range;

use serde::de::IgnoredAny;

use crate::bounds::{INTEGER_MAX, NUMBER_SHOWN_BYTES_MAX};
use crate::shorten;

/// Turns every number that no reader preserves into a string of exactly its characters. Also returns their count.
///
/// These are whole numbers beyond ±(2^53 − 1), written without a fraction or an exponent, and numbers beyond every
/// double (`1e400`).
pub fn keep_numbers(json: &str) -> (String, usize) {
    let (mut kept, mut end, mut count) = (String::with_capacity(json.len()), 0, 0);
    for number in (NumberTokens { json, at: 0 }).filter(|number| !is_kept(&json[number.clone()])) {
        kept.push_str(&json[end..number.start]);
        kept.extend(["\"", &json[number.clone()], "\""]);
        end = number.end;
        count += 1;
    }
    kept.push_str(&json[end..]);
    (kept, count)
}

/// Refuses JSON with a number that is lost when the text is read: a whole one beyond 64 bits, or one beyond every
/// double. A text that is not JSON for another reason passes; its reader reports that.
pub fn refuse_lost_numbers(json: &str) -> Result<(), LostNumber> {
    let mut numbers = NumberTokens { json, at: 0 }.map(|number| &json[number]);
    let lost = numbers.find(|number| {
        !is_kept(number) && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
    });
    match lost {
        // Only report the number if it is the sole problem: with its numbers quoted, the text has to be valid JSON.
        Some(number) if serde_json::from_str::<IgnoredAny>(&keep_numbers(json).0).is_ok() => {
            Err(LostNumber { shown: shorten(number, NUMBER_SHOWN_BYTES_MAX).into_owned() })
        }
        _ => Ok(()),
    }
}

/// A number in a JSON text that no reader preserves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the number {shown} cannot be kept: whole numbers go up to {INTEGER_MAX} on either side of zero; write it as a text, in quotes"
)]
pub struct LostNumber {
    /// Number as written, shortened if it is long.
    pub shown: String,
}

/// True if a reader preserves the number. A text that is not a JSON number is left to the reader to refuse.
fn is_kept(number: &str) -> bool {
    // With a fraction or an exponent it is a double for every reader, and only its range matters.
    let is_kept = if number.contains(['.', 'e', 'E']) {
        number.parse().is_ok_and(f64::is_finite)
    } else {
        number.parse::<i64>().is_ok_and(|whole| whole.unsigned_abs() <= INTEGER_MAX)
    };
    is_kept || serde_json::from_str::<IgnoredAny>(number).is_err()
}

/// Iterator over the positions of numbers: everything outside of strings that begins like a number.
struct NumberTokens<'a> {
    json: &'a str,
    at: usize,
}

impl Iterator for NumberTokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.json.as_bytes();
        // A scan for quotes and escapes is enough: outside of strings JSON has no other use for digits and signs.
        let mut is_string = false;
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'"' => is_string = !is_string,
                // An escaped character does not end the string.
                b'\\' if is_string => self.at += 1,
                b'-' | b'0'..=b'9' if !is_string => {
                    let is_part =
                        |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                    let start = self.at;
                    self.at += bytes[start..].iter().take_while(is_part).count();
                    return Some(start..self.at);
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_no_reader_keeps_become_texts_of_their_characters() {
        let long = "9".repeat(5000);
        let table = [
            ("9007199254740991", None),
            ("-9007199254740991", None),
            ("-0", None),
            ("0.5", None),
            ("1e21", None),
            ("1.5E+300", None),
            ("1e-400", None),
            ("9007199254740992", Some(false)),
            ("-9223372036854775808", Some(false)),
            ("18446744073709551615", Some(false)),
            ("-9223372036854775809", Some(true)),
            ("18446744073709551616", Some(true)),
            ("123456789012345678901234567890", Some(true)),
            ("1e400", Some(true)),
            ("-1.5E+400", Some(true)),
            (&long, Some(true)),
        ];
        for (number, lost) in table {
            let json = format!(r#"{{ "1e400\"": [{number},"é \\", {{"a":{number}}}] }}"#);
            let (kept, count) = keep_numbers(&json);
            assert_eq!(count, if lost.is_some() { 2 } else { 0 }, "{number}");
            let written = if lost.is_some() { format!("\"{number}\"") } else { number.to_owned() };
            assert_eq!(
                kept,
                json.replace(number, &written).replace("\"\"1e400\"\\\"", "\"1e400\\\"")
            );
            assert!(serde_json::from_str::<serde_json::Value>(&kept).is_ok(), "{kept}");
            let lost = lost.filter(|lost| *lost).map(|_| LostNumber {
                shown: shorten(number, NUMBER_SHOWN_BYTES_MAX).into_owned(),
            });
            assert_eq!(refuse_lost_numbers(&json).err(), lost, "{number}");
        }
    }

    #[test]
    fn what_is_no_json_is_left_to_its_reader() {
        for text in [
            "",
            "\"",
            "\"\\",
            "-",
            "[1",
            "call 18446744073709551616",
            "1e400x",
            "1e+",
            "[99999999999999999999-1]",
            "09007199254740993",
        ] {
            assert!(
                serde_json::from_str::<serde_json::Value>(&keep_numbers(text).0).is_err(),
                "{text}"
            );
            assert_eq!(refuse_lost_numbers(text), Ok(()), "{text}");
        }
    }
}
