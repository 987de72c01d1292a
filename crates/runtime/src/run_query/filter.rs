//! What the index is asked for by a query line.
// tidy: numbers: the lengths of times

use piton_core::TimestampMs;
use piton_store::index::Term;
use piton_store::port::{FieldValue, Filter};

use super::field::QueryField;
use super::line::{Condition, NumberComparison, QueryLine, QueryTerm, TextPattern};

impl QueryLine {
    /// Returns the filter for the terms that were understood. Times are counted back from `now`.
    pub fn filter(&self, now: TimestampMs) -> Filter {
        Filter::All(self.terms.iter().map(|term| term.filter(now)).collect())
    }
}

impl QueryTerm {
    fn filter(&self, now: TimestampMs) -> Filter {
        let filter = match &self.condition {
            Condition::Words { text, is_prefix } => {
                Term::new(text, *is_prefix).map_or_else(Filter::everything, Filter::Has)
            }
            Condition::Text { field, values } => {
                Filter::Any(values.iter().map(|value| text_filter(*field, value)).collect())
            }
            Condition::Number { field, comparison, value } => {
                number_filter(*field, *comparison, i64::from(*value))
            }
            Condition::Age { field, comparison, count, unit } => {
                let seconds: i64 = match unit {
                    's' => 1,
                    'm' => 60,
                    'h' => 3_600,
                    'd' => 86_400,
                    _ => 7 * 86_400,
                };
                let now = i64::try_from(now.0).unwrap_or(i64::MAX);
                let then = now.saturating_sub(i64::from(*count) * seconds * 1_000);
                // What is younger has a later time.
                let comparison = match comparison {
                    NumberComparison::Less => NumberComparison::Greater,
                    NumberComparison::LessOrEqual => NumberComparison::GreaterOrEqual,
                    NumberComparison::Greater => NumberComparison::Less,
                    NumberComparison::GreaterOrEqual => NumberComparison::LessOrEqual,
                    NumberComparison::Equal => NumberComparison::Equal,
                };
                number_filter(*field, comparison, then)
            }
        };
        if self.is_negated { Filter::Not(Box::new(filter)) } else { filter }
    }
}

fn text_filter(field: QueryField, TextPattern { text, is_prefix }: &TextPattern) -> Filter {
    let name = field.indexed().name();
    if *is_prefix {
        Filter::StartsWith(name, text.clone())
    } else {
        Filter::Equals(name, FieldValue::from(text.as_str()))
    }
}

fn number_filter(field: QueryField, comparison: NumberComparison, value: i64) -> Filter {
    let name = field.indexed().name();
    match comparison {
        NumberComparison::Less => Filter::Less(name, value),
        NumberComparison::Greater => Filter::Greater(name, value),
        NumberComparison::LessOrEqual => Filter::Less(name, value.saturating_add(1)),
        NumberComparison::GreaterOrEqual => Filter::Greater(name, value.saturating_sub(1)),
        NumberComparison::Equal => Filter::Equals(name, FieldValue::Number(value)),
    }
}
