//! What could be typed next in a query line.

use schemars::JsonSchema;
use serde::Serialize;

use super::field::{QueryField, ValueForm};
use super::line::{NumberComparison, field_parts, words};
use crate::bounds::COMPLETIONS_MAX;

/// A text that could be typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The first character that it replaces, counted from zero in Unicode characters.
    pub start: usize,
    /// The character behind those that it replaces.
    pub end: usize,
    pub text: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// Returns what could stand at `place`, a number of characters from the start of `line`: fields, or values of the
/// field that stands there. `known` returns values of a field, the likeliest first.
pub fn completions<'k>(
    line: &str,
    place: usize,
    known: impl Fn(QueryField) -> Vec<&'k str>,
) -> Vec<Completion> {
    let byte = line.char_indices().nth(place).map_or(line.len(), |(byte, _)| byte);
    // Only what stands before the place counts: a word is completed where it is being typed.
    let word = words(&line[..byte]).last().filter(|word| word.start + word.text.len() == byte);
    let word = word.map_or("", |word| word.text);
    let typed = word.strip_prefix('-').unwrap_or(word);
    let end = line[..byte].chars().count(); // tidy: chars: places count characters
    let replacing = |typed: &str, text: String, about: Option<&str>| Completion {
        start: end - typed.chars().count(), // tidy: chars: places count characters
        end,
        text,
        about: about.map(str::to_owned),
    };
    let Some((field, comparison, value)) = field_parts(typed) else {
        let fields = QueryField::ALL.iter().filter(|field| field.as_str().starts_with(typed));
        let sign = |field: QueryField| match field.form() {
            ValueForm::Text => ":",
            ValueForm::Number => ">",
            ValueForm::Age => "<",
        };
        let fields = fields
            .map(|field| replacing(typed, format!("{field}{}", sign(*field)), Some(field.about())));
        return fields.collect();
    };
    let Some(field) =
        field.parse::<QueryField>().ok().filter(|_| comparison == NumberComparison::Equal)
    else {
        return Vec::new();
    };
    // After a comma, the next value is being typed.
    let typed = value.rsplit(',').next().unwrap_or_default();
    let values = field.values().map_or_else(|| known(field), <[&str]>::to_vec);
    let values =
        values.into_iter().filter(|value| value.starts_with(typed.trim_start_matches('"')));
    let quoted = |value: &str| {
        let is_plain = !value.contains([' ', '"', ',', '*']);
        if is_plain { value.to_owned() } else { format!("\"{}\"", value.replace('"', "")) }
    };
    values.take(COMPLETIONS_MAX).map(|value| replacing(typed, quoted(value), None)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, place: usize, expected: &[&str]) {
        let known = |field| match field {
            QueryField::Branch => vec!["fix/login", "main", "a b"],
            _ => Vec::new(),
        };
        let lines = completions(line, place, known).into_iter().map(|completion| {
            let characters: Vec<char> = line.chars().collect();
            let before: String = characters[..completion.start].iter().collect();
            let after: String = characters[completion.end..].iter().collect();
            format!("{before}{}{after}", completion.text)
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{line} at {place}");
    }

    #[test]
    fn fields_and_their_values_are_offered() {
        check("st", 2, &["status:", "started<", "step:"]);
        check("ä -st x", 5, &["ä -status: x", "ä -started< x", "ä -step: x"]);
        check("status:b", 8, &["status:blocked"]);
        check("status:blocked,in", 17, &["status:blocked,in_progress"]);
        check("branch:", 7, &["branch:fix/login", "branch:main", "branch:\"a b\""]);
        check("branch:m x", 8, &["branch:main x"]);
        check("workflow:w", 10, &[]);
        check("gaps>", 5, &[]);
        check("nothing:", 8, &[]);
        assert_eq!(completions("", 0, |_| Vec::new()).len(), QueryField::ALL.len());
        assert_eq!(completions("login ", 6, |_| Vec::new()).len(), QueryField::ALL.len());
    }

    proptest! {
        #[test]
        fn every_completion_is_in_the_line(line in any::<String>(), place in 0_usize..40) {
            let length = line.chars().count(); // tidy: chars: places count characters
            for completion in completions(&line, place, |_| vec!["value"]) {
                prop_assert!(completion.start <= completion.end && completion.end <= length);
            }
        }
    }
}
