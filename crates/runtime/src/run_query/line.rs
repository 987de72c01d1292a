//! Reads a query line.

use std::fmt;

use piton_core::{RunId, SessionId};
use piton_store::index::Term;
use schemars::JsonSchema;
use serde::Serialize;

use super::field::{QueryField, ValueForm};
use piton_core::nearest;

use crate::bounds::{QUERY_LINE_BYTES_MAX, QUERY_TERMS_MAX, QUERY_VALUES_MAX};

/// A line that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryLine {
    pub terms: Vec<QueryTerm>,
    /// Everything that could not be understood.
    pub problems: Vec<QueryProblem>,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// Set when the condition must not hold.
    pub is_negated: bool,
    pub condition: Condition,
}

/// A condition on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Its text has these words, next to each other. With `is_prefix`, the last may go on.
    Words {
        text: String,
        is_prefix: bool,
    },
    /// The field is one of these.
    Text {
        field: QueryField,
        values: Vec<TextPattern>,
    },
    Number {
        field: QueryField,
        comparison: NumberComparison,
        value: u32,
    },
    /// The time since an event.
    Age {
        field: QueryField,
        comparison: NumberComparison,
        count: u32,
        unit: char,
    },
}

/// A text, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPattern {
    pub text: String,
    pub is_prefix: bool,
}

piton_core::closed_set! {
    /// How a number is compared.
    pub enum NumberComparison {
        /// It is less.
        Less => "<",
        /// It is more.
        Greater => ">",
        /// It is less or the same.
        LessOrEqual => "<=",
        /// It is more or the same.
        GreaterOrEqual => ">=",
        /// It is the same.
        Equal => ":",
    }
}

/// Something in a line that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryProblem {
    /// The first character of it, counted from zero in Unicode characters.
    pub start: usize,
    /// The character behind it.
    pub end: usize,
    /// What is wrong, and what would work.
    pub message: String,
    /// Texts that could stand there instead, the likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valid: Vec<String>,
}

/// A stretch of a line between spaces, with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// Byte at which it begins.
    pub(super) start: usize,
    /// Set when it has a quotation mark without a second one.
    is_open: bool,
}

/// What is wrong with a part of a word: the part, the message, and what would be valid.
type Flaw<'a> = (&'a str, String, Vec<String>);

impl QueryLine {
    /// Reads a line. Never fails: what it cannot understand is among its problems.
    pub fn parse(line: &str) -> Self {
        let mut read = Self::default();
        if line.len() > QUERY_LINE_BYTES_MAX {
            let message = format!("A query has at most {QUERY_LINE_BYTES_MAX} bytes.");
            read.add_problem(line, 0..line.len(), message, Vec::new());
            return read;
        }
        for (number, word) in words(line).enumerate() {
            if number == QUERY_TERMS_MAX {
                let message = format!("A query has at most {QUERY_TERMS_MAX} terms.");
                read.add_problem(line, word.start..line.len(), message, Vec::new());
                break;
            }
            match term(&word).and_then(|term| read.checked(&word, term)) {
                Ok(term) => read.terms.push(term),
                Err((part, message, valid)) => {
                    // The part is a slice of the line, so its place is known.
                    let start = part.as_ptr().addr() - line.as_ptr().addr();
                    read.add_problem(line, start..start + part.len(), message, valid);
                }
            }
        }
        read
    }

    /// Refuses a term that cannot hold together with an earlier one, because a run has one value of the field.
    fn checked<'a>(&self, word: &Word<'a>, term: QueryTerm) -> Result<QueryTerm, Flaw<'a>> {
        let other = self.terms.iter().find(|earlier| earlier.excludes(&term));
        let Some(Condition::Text { field, .. }) = other.map(|other| &other.condition) else {
            return Ok(term);
        };
        let (other, own) = (other.map(QueryTerm::to_string).unwrap_or_default(), term.to_string());
        let value = own.split_once(':').map_or("", |(_, value)| value);
        let valid = format!("{other},{value}");
        let message = format!(
            "A run has one {field}, so no run matches both. For either of them: `{valid}`."
        );
        Err((word.text, message, vec![valid]))
    }

    fn add_problem(
        &mut self,
        line: &str,
        bytes: std::ops::Range<usize>,
        message: String,
        valid: Vec<String>,
    ) {
        let start = line[..bytes.start].chars().count(); // tidy: chars: places count characters
        let end = start + line[bytes].chars().count(); // tidy: chars: places count characters
        self.problems.push(QueryProblem { start, end, message, valid });
    }
}

impl QueryTerm {
    /// True if no run can match both terms: they ask for different values of the same field.
    fn excludes(&self, other: &Self) -> bool {
        let (Condition::Text { field, values }, Condition::Text { field: same, values: others }) =
            (&self.condition, &other.condition)
        else {
            return false;
        };
        let is_prefix = |pattern: &TextPattern| pattern.is_prefix;
        field == same
            && !self.is_negated
            && !other.is_negated
            && !values.iter().chain(others).any(is_prefix)
            && !values.iter().any(|value| others.contains(value))
    }
}

/// Splits a line at spaces that are not between quotation marks.
pub(super) fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let mut place = 0;
    std::iter::from_fn(move || {
        let rest = &line[place..];
        let start = place + rest.find(|character: char| !character.is_whitespace())?;
        let mut is_open = false;
        let end = line[start..].find(|character: char| {
            if character == '"' {
                is_open = !is_open;
            }
            character.is_whitespace() && !is_open
        });
        place = end.map_or(line.len(), |end| start + end);
        Some(Word { text: &line[start..place], start, is_open })
    })
}

/// Splits a word into a field, a comparison and a value. Returns `None` for a word without a comparison.
pub(super) fn field_parts(word: &str) -> Option<(&str, NumberComparison, &str)> {
    let place = word.find([':', '<', '>', '=', '"'])?;
    let (field, rest) = word.split_at(place);
    let comparison = [
        ("<=", NumberComparison::LessOrEqual),
        (">=", NumberComparison::GreaterOrEqual),
        ("<", NumberComparison::Less),
        (">", NumberComparison::Greater),
        (":", NumberComparison::Equal),
        ("=", NumberComparison::Equal),
    ];
    comparison
        .into_iter()
        .find_map(|(sign, comparison)| Some((field, comparison, rest.strip_prefix(sign)?)))
}

fn term<'a>(word: &Word<'a>) -> Result<QueryTerm, Flaw<'a>> {
    let (is_negated, text) = match word.text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.text),
    };
    if word.is_open {
        let message = "A quotation mark is missing at the end.".to_owned();
        return Err((word.text, message, vec![format!("{}\"", word.text)]));
    }
    if text.is_empty() {
        let message = "A `-` turns around the word behind it, and there is none.".to_owned();
        return Err((word.text, message, Vec::new()));
    }
    if OPERATORS.contains(&text) {
        let message = format!(
            "`{text}` is no operator here: a run has to match every term, `-` turns one around, and a comma lists values \
             of a field (`status:blocked,complete`). To search for the word, put it in quotation marks."
        );
        return Err((word.text, message, vec![format!("\"{text}\"")]));
    }
    let condition = match field_parts(text) {
        Some((field, comparison, value)) => field_condition(text, field, comparison, value)?,
        None => words_condition(text)?,
    };
    Ok(QueryTerm { is_negated, condition })
}

fn words_condition(word: &str) -> Result<Condition, Flaw<'_>> {
    let (text, is_prefix) = pattern(word)?;
    if Term::new(text, is_prefix).is_none() {
        let message = "There is no letter or digit to look for.".to_owned();
        return Err((word, message, Vec::new()));
    }
    Ok(Condition::Words { text: text.to_owned(), is_prefix })
}

/// Reads a text that may be quoted and may end with a `*`.
fn pattern(word: &str) -> Result<(&str, bool), Flaw<'_>> {
    let (text, is_prefix) = match word.strip_suffix('*') {
        Some(text) => (text, true),
        None => (word, false),
    };
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let inner = quoted.unwrap_or(text);
    if inner.contains('"') {
        let message = "Quotation marks stand around a whole phrase or value.".to_owned();
        return Err((word, message, vec![format!("\"{}\"", inner.replace('"', ""))]));
    }
    if quoted.is_none() && inner.contains('*') {
        let message = "A `*` stands at the end, where more may follow.".to_owned();
        return Err((word, message, vec![format!("{}*", inner.replace('*', ""))]));
    }
    Ok((inner, is_prefix))
}

fn field_condition<'a>(
    word: &'a str,
    name: &'a str,
    comparison: NumberComparison,
    value: &'a str,
) -> Result<Condition, Flaw<'a>> {
    let Ok(field) = name.parse::<QueryField>() else {
        let close = nearest(name, QueryField::NAMES.iter().copied());
        let meant = close.first().map(|close| format!(" Did you mean `{close}`?"));
        let message = format!(
            "There is no field `{name}`.{} The fields are: {}. To search for the text itself, put it in quotation marks.",
            meant.unwrap_or_default(),
            QueryField::NAMES.join(", ")
        );
        let valid = if close.is_empty() { QueryField::NAMES.to_vec() } else { close };
        return Err((word, message, valid.into_iter().map(str::to_owned).collect()));
    };
    let example = || vec![field.about().rsplit(": ").next().unwrap_or_default().to_owned()];
    // An empty value has no place of its own, so the whole word is marked.
    let marked = if value.is_empty() { word } else { value };
    match field.form() {
        ValueForm::Text => {
            if comparison != NumberComparison::Equal {
                let message = format!("`{field}` is a text: compare it with `:`.");
                return Err((word, message, vec![format!("{field}:{value}")]));
            }
            text_condition(field, value, marked)
        }
        ValueForm::Number => match value.parse() {
            Ok(value) => Ok(Condition::Number { field, comparison, value }),
            Err(_) => Err((marked, format!("`{field}` is compared with a number."), example())),
        },
        ValueForm::Age => {
            if comparison == NumberComparison::Equal {
                let message = format!("`{field}` is a time: compare it with `<` or `>`.");
                let valid = vec![format!("{field}<{value}"), format!("{field}>{value}")];
                return Err((word, message, valid));
            }
            let unit = value.chars().last().filter(|unit| UNITS.contains(*unit));
            let count = unit.and_then(|unit| value.strip_suffix(unit)?.parse().ok());
            if let (Some(count), Some(unit)) = (count, unit) {
                return Ok(Condition::Age { field, comparison, count, unit });
            }
            let message = format!("`{field}` is compared with a time, such as 30m, 12h, 1d or 2w.");
            Err((marked, message, example()))
        }
    }
}

/// Units of times: seconds, minutes, hours, days, weeks.
const UNITS: &str = "smhdw";

fn text_condition<'a>(
    field: QueryField,
    value: &'a str,
    marked: &'a str,
) -> Result<Condition, Flaw<'a>> {
    let mut values = Vec::new();
    // A comma between quotation marks is part of the value.
    let mut is_quoted = false;
    for part in value.split(|character: char| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    }) {
        let (text, is_prefix) = pattern(part)?;
        if text.is_empty() && !is_prefix {
            let message = format!("`{field}` needs a value.");
            let valid = field.values().unwrap_or_default();
            return Err((
                marked,
                message,
                valid.iter().map(|one| format!("{field}:{one}")).collect(),
            ));
        }
        let is_value =
            |value: &str| if is_prefix { value.starts_with(text) } else { value == text };
        if let Some(all) = field.values()
            && !all.iter().any(|value| is_value(value))
        {
            let close = nearest(text, all.iter().copied());
            let valid = if close.is_empty() { all.to_vec() } else { close };
            let mut message = format!("`{field}` is one of: {}.", all.join(", "));
            if text == "waiting" {
                message.push_str(" Overview lists the runs that wait for you.");
            }
            return Err((part, message, valid.into_iter().map(str::to_owned).collect()));
        }
        if let Some((message, valid)) = wrong_id(field, text).filter(|_| !is_prefix) {
            return Err((part, message, valid));
        }
        values.push(TextPattern { text: text.to_owned(), is_prefix });
    }
    if values.len() > QUERY_VALUES_MAX {
        let message = format!("A field is compared with at most {QUERY_VALUES_MAX} values.");
        return Err((marked, message, Vec::new()));
    }
    Ok(Condition::Text { field, values })
}

/// Returns what is wrong with a text that cannot be an id of this field, and what would be valid.
fn wrong_id(field: QueryField, text: &str) -> Option<(String, Vec<String>)> {
    let prefix = match field {
        QueryField::Run => RunId::PREFIX,
        QueryField::Session => SessionId::PREFIX,
        QueryField::Workflow | QueryField::Step | QueryField::Label
            if text.bytes().any(|byte| byte.is_ascii_uppercase()) =>
        {
            let valid = format!("{field}:{}", text.to_ascii_lowercase());
            let message = format!("`{field}` is {}, in lowercase: `{valid}`.", field.noun());
            return Some((message, vec![valid]));
        }
        _ => return None,
    };
    let is_id = text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('_'));
    (!is_id).then(|| {
        let valid = format!("label:{}", text.to_ascii_lowercase());
        let message = format!(
            "`{field}` is an id, such as `{prefix}_…`. To find a run by its name: `{valid}`."
        );
        (message, vec![valid])
    })
}

/// Words that other query languages have between or before terms.
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];

/// Writes a text so that it is read as the same text: with quotation marks where they are needed.
fn write_text(formatter: &mut fmt::Formatter<'_>, text: &str, is_prefix: bool) -> fmt::Result {
    let is_special = |character: char| character.is_whitespace() || "\"*,:<>=".contains(character);
    let star = if is_prefix { "*" } else { "" };
    if text.contains(is_special) || text.starts_with('-') {
        write!(formatter, "\"{text}\"{star}")
    } else {
        write!(formatter, "{text}{star}")
    }
}

impl fmt::Display for QueryTerm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negated {
            formatter.write_str("-")?;
        }
        match &self.condition {
            Condition::Words { text, is_prefix } => write_text(formatter, text, *is_prefix),
            Condition::Text { field, values } => {
                write!(formatter, "{field}:")?;
                for (number, TextPattern { text, is_prefix }) in values.iter().enumerate() {
                    if number > 0 {
                        formatter.write_str(",")?;
                    }
                    write_text(formatter, text, *is_prefix)?;
                }
                Ok(())
            }
            Condition::Number { field, comparison, value } => {
                write!(formatter, "{field}{comparison}{value}")
            }
            Condition::Age { field, comparison, count, unit } => {
                write!(formatter, "{field}{comparison}{count}{unit}")
            }
        }
    }
}

impl fmt::Display for QueryLine {
    /// Writes the terms that were understood.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, term) in self.terms.iter().enumerate() {
            if number > 0 {
                formatter.write_str(" ")?;
            }
            write!(formatter, "{term}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks the terms of a line, printed, and the marked parts with what would be valid.
    fn check(line: &str, terms: &str, problems: &[(&str, &[&str])]) {
        let read = QueryLine::parse(line);
        assert_eq!(read.to_string(), terms, "{line}");
        let found: Vec<(String, Vec<&str>)> = read
            .problems
            .iter()
            .map(|problem| {
                let marked = line.chars().skip(problem.start).take(problem.end - problem.start);
                (marked.collect(), problem.valid.iter().map(String::as_str).collect())
            })
            .collect();
        let expected: Vec<(String, Vec<&str>)> =
            problems.iter().map(|(part, valid)| ((*part).to_owned(), valid.to_vec())).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_line_is_read_term_by_term() {
        check("", "", &[]);
        let line = "status:blocked workflow:wr.* age<1d gaps>0 login";
        check(line, line, &[]);
        check("  -login   log*  \"log in\" ", "-login log* \"log in\"", &[]);
        check("-\"a b\"* status:blocked,complete*", "-\"a b\"* status:blocked,complete*", &[]);
        check("gaps=2 gaps:2 gaps>=2", "gaps:2 gaps:2 gaps>=2", &[]);
        check("branch:\"a b\",c", "branch:\"a b\",c", &[]);
        check("label:amber-otter", "label:amber-otter", &[]);
        check("run_index", "run_index", &[]);
        check("workflow:*", "workflow:*", &[]);
    }

    #[test]
    fn what_is_not_understood_is_marked_with_what_would_be_valid() {
        check("stauts:blocked ok", "ok", &[("stauts:blocked", &["status", "started"])]);
        check("ö status:blokced", "ö", &[("blokced", &["blocked"])]);
        let all = ["in_progress", "blocked", "complete", "complete_with_gaps"];
        check("status:a,blocked", "", &[("a", &all)]);
        check("status>blocked", "", &[("status>blocked", &["status:blocked"])]);
        check("age:1d", "", &[("age:1d", &["age<1d", "age>1d"])]);
        check("age<soon -", "", &[("soon", &["age<1d"]), ("-", &[])]);
        check("gaps>many gaps>", "", &[("many", &["gaps>0"]), ("gaps>", &["gaps>0"])]);
        check("\"open end", "", &[("\"open end", &["\"open end\""])]);
        check("lo*gin *", "", &[("lo*gin", &["login*"]), ("*", &[])]);
        check("a\"b\"", "", &[("a\"b\"", &["\"ab\""])]);
        check("branch:", "", &[("branch:", &[])]);
        check("...", "", &[("...", &[])]);
        check("price OR login", "price login", &[("OR", &["\"OR\""])]);
        check("step:Deploy", "", &[("Deploy", &["step:deploy"])]);
        check("run:cotton-lion", "", &[("cotton-lion", &["label:cotton-lion"])]);
        let either = ["status:blocked,complete"];
        check("status:blocked status:complete", "status:blocked", &[("status:complete", &either)]);
        check("status:blocked -status:complete", "status:blocked -status:complete", &[]);
        check("status:blocked status:comp*", "status:blocked status:comp*", &[]);
    }

    #[test]
    fn a_line_is_bounded() {
        let long = "x ".repeat(QUERY_LINE_BYTES_MAX);
        assert_eq!(QueryLine::parse(&long).problems.len(), 1);
        let many = "x ".repeat(QUERY_TERMS_MAX + 5);
        let read = QueryLine::parse(&many);
        assert_eq!((read.terms.len(), read.problems.len()), (QUERY_TERMS_MAX, 1));
        let many = format!("branch:{}", "x,".repeat(QUERY_VALUES_MAX) + "x");
        assert_eq!(QueryLine::parse(&many).problems.len(), 1);
    }

    fn lines() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "status", "workflow", "age", "gaps", "label", "blocked", "wr.", "1d", "0", "login",
            "-", "\"", "*", ":", "<", ">", "<=", "=", ",", " ", " ", "ä", "登", "_",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn every_line_is_read_and_every_place_is_in_it(line in prop_oneof![lines(), any::<String>()]) {
            let read = QueryLine::parse(&line);
            let length = line.chars().count(); // tidy: chars: places count characters
            for problem in &read.problems {
                prop_assert!(problem.start < problem.end && problem.end <= length, "{problem:?}");
                prop_assert!(!problem.message.is_empty());
            }
            // Nothing is ignored: every word is a term or a problem.
            if line.len() <= QUERY_LINE_BYTES_MAX && words(&line).count() <= QUERY_TERMS_MAX {
                prop_assert_eq!(read.terms.len() + read.problems.len(), words(&line).count());
            }
        }

        #[test]
        fn a_line_that_is_printed_and_read_again_is_the_same(line in lines()) {
            let read = QueryLine::parse(&line);
            let again = QueryLine::parse(&read.to_string());
            prop_assert_eq!(&again.terms, &read.terms, "{}", read);
            prop_assert!(again.problems.is_empty());
        }
    }
}
