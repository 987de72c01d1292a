//! Errors as whole sentences.

/// Turns a text into a sentence, with a capital at its start and a full stop at its end. Errors are written as parts of
/// sentences, so that one can quote another; a person reads whole ones. A text that begins with the name of a file, a
/// field or a run keeps that name as it is.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    let word = text.split_whitespace().next().unwrap_or_default();
    // Anything but a plain word of letters is a name: `format.json`, `output.artifacts[0]`, `startKey`, `amber-otter`.
    let word = word.trim_end_matches([',', ':', ';', '.', '!', '?']);
    let is_word = word.chars().all(char::is_lowercase);
    let mut rest = text.chars();
    let first = rest.next().filter(|_| is_word && !text.starts_with(char::is_whitespace));
    let first = first.map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let rest = if first.is_empty() { text } else { rest.as_str() };
    [first.as_str(), rest, end].concat()
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_sentence_begins_with_a_capital_and_a_name_stays_as_it_is() {
        for (text, expected) in [
            ("", "."),
            ("no token", "No token."),
            ("über allem", "Über allem."),
            ("no: it is gone!", "No: it is gone!"),
            ("I/O failed", "I/O failed."),
            ("`goal` is empty", "`goal` is empty."),
            ("table.sqlite3 is damaged", "table.sqlite3 is damaged."),
            ("output.artifacts[0] is a list", "output.artifacts[0] is a list."),
            ("startKey is empty", "startKey is empty."),
            ("amber-otter is done", "amber-otter is done."),
            ("/tmp/x is no file", "/tmp/x is no file."),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }
}
