//! Small pieces of text for people: counts, sizes, ages, lists of names.

use piton_core::{TimestampMs, shorten};
use piton_runtime::bounds::DIGEST_DIGITS_SHOWN;

use crate::bounds::NAME_BYTES_MAX;

/// Suggestion for a data directory that cannot be used.
pub(crate) const CHOOSE_DATA_DIR: &str = "Choose another one with --data-dir or PITON_DATA_DIR.";

/// Suggestion where there are no runs yet.
pub(crate) const START_A_RUN: &str =
    "Agents start runs. Try one yourself: piton workflow run wr.tour";

/// Suggestion for connecting an agent to Piton.
pub(crate) const CONNECT: &str = "Connect an agent: piton mcp install --client claude";

/// Formats a number and the noun that it counts, in the singular or the plural.
pub(crate) fn count(number: impl TryInto<u64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    match one.strip_suffix('y') {
        _ if number == 1 => format!("1 {one}"),
        // A `y` after a vowel stays: 2 keys, but 2 entries.
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {one}s"),
    }
}

/// Lists the first few names, quoted and cut, and the number of the others.
pub(crate) fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", cut(name))).collect();
    first_few(&names)
}

/// Lists the first few names as they are, and the number of the others. For names that Piton generated.
pub(crate) fn first_few(names: &[String]) -> String {
    const SHOWN: usize = 5; // tidy: number: names in one line
    let first = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Escapes and shortens a name to one line.
fn cut(name: &str) -> String {
    shorten(&name.escape_debug().to_string(), NAME_BYTES_MAX).into_owned()
}

/// Puts a text on one line, for a table cell.
pub(crate) fn cell(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

/// Formats a size in its largest whole unit.
pub(crate) fn size(bytes: u64) -> String {
    const KIB: u64 = 1024; // tidy: number: bytes of a KiB
    match bytes {
        0..KIB => format!("{bytes} B"),
        _ if bytes < KIB * KIB => format!("{} KiB", bytes / KIB),
        _ => format!("{} MiB", bytes / (KIB * KIB)),
    }
}

/// Returns the time between `then` and `now`, in the largest whole unit.
pub(crate) fn ago(now: TimestampMs, then: TimestampMs) -> String {
    // A `then` in the future (a clock that was set back) counts as now.
    let minutes = now.get().saturating_sub(then.get()) / 60_000; // tidy: number: milliseconds of a minute
    let (hours, days) = (minutes / 60, minutes / (24 * 60));
    match (days, hours, minutes) {
        (0, 0, 0) => "just now".to_owned(),
        (0, 0, minutes) => format!("{minutes} min ago"),
        (0, hours, _) => format!("{hours} h ago"),
        (1, ..) => "1 day ago".to_owned(),
        (days, ..) => format!("{days} days ago"),
    }
}

/// Shortens a digest for display. Enough digits remain that two digests of one project differ.
pub(crate) fn short(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..DIGEST_DIGITS_SHOWN).unwrap_or(digits)
}

/// Puts a margin before each line that is not blank.
pub(crate) fn indented(text: &str, margin: &str) -> String {
    let line = |line: &str| {
        if line.trim().is_empty() { String::new() } else { format!("{margin}{line}") }
    };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [count(0, "run"), count(1, "run"), count(2, "run")],
            ["0 runs", "1 run", "2 runs"]
        );
        assert_eq!([count(1, "entry"), count(2, "entry")], ["1 entry", "2 entries"]);
        assert_eq!(count(2, "key"), "2 keys");
    }

    #[test]
    fn times_have_the_largest_whole_unit() {
        let minute = 60_000;
        let cases = [
            (0, "just now"),
            (minute - 1, "just now"),
            (minute, "1 min ago"),
            (59 * minute, "59 min ago"),
            (60 * minute, "1 h ago"),
            (23 * 60 * minute, "23 h ago"),
            (24 * 60 * minute, "1 day ago"),
            (90 * 24 * 60 * minute, "90 days ago"),
        ];
        for (passed, expected) in cases {
            assert_eq!(
                ago(TimestampMs(minute * 1_000_000), TimestampMs(minute * 1_000_000 - passed)),
                expected
            );
        }
        assert_eq!(ago(TimestampMs(0), TimestampMs(5)), "just now");
    }

    #[test]
    fn sizes_have_the_largest_whole_unit_and_cells_one_line() {
        let sizes = [0, 1023, 1024, 5 * 1024 * 1024].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1 KiB", "5 MiB"]);
        assert_eq!(cell("a\nb"), "a b");
    }

    #[test]
    fn empty_lines_stay_empty() {
        assert_eq!(indented("a\n\n  b\n", "  "), "  a\n\n    b");
    }
}
