//! Small pieces of text for people.

use piton_runtime::bounds::DIGEST_DIGITS_SHOWN;

/// Suggestion for a data directory that cannot be used.
pub(crate) const CHOOSE_DATA_DIR: &str = "Choose another one with --data-dir or PITON_DATA_DIR.";

/// Suggestion for connecting an agent to Piton.
pub(crate) const CONNECT: &str = "Connect an agent: piton mcp install --client claude";

/// Formats a number and the noun that it counts, in the singular or the plural.
pub(crate) fn count(number: usize, one: &str) -> String {
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
    piton_core::shorten(&name.escape_debug().to_string(), crate::bounds::CELL_BYTES_MAX)
        .into_owned()
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
    fn empty_lines_stay_empty() {
        assert_eq!(indented("a\n\n  b\n", "  "), "  a\n\n    b");
    }
}
