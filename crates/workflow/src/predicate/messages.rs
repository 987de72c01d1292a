//! A predicate in words, for traces and prompts.

use std::fmt::{self, Formatter};

use super::data::{Comparison, Predicate};

impl fmt::Display for Predicate {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { variable } => write!(formatter, "`{variable}` is set"),
            Self::Compare { variable, operator, operand } => {
                write!(formatter, "`{variable}` {} {operand}", operator.describe())
            }
            Self::Matches { variable, pattern } => {
                write!(formatter, "`{variable}` matches {}", pattern.as_str())
            }
            Self::All { of } if of.is_empty() => formatter.write_str("always"),
            Self::All { of } => joined(of, " and ", formatter),
            Self::Any { of } => joined(of, " or ", formatter),
            Self::Not { of } => write!(formatter, "not ({of})"),
        }
    }
}

fn joined(of: &[Predicate], word: &str, formatter: &mut Formatter<'_>) -> fmt::Result {
    for (index, part) in of.iter().enumerate() {
        if index > 0 {
            formatter.write_str(word)?;
        }
        match part {
            Predicate::All { of } | Predicate::Any { of } if of.len() > 1 => {
                write!(formatter, "({part})")?;
            }
            _ => write!(formatter, "{part}")?,
        }
    }
    Ok(())
}

impl Comparison {
    const fn describe(self) -> &'static str {
        match self {
            Self::Equals => "is",
            Self::NotEquals => "is not",
            Self::Gt => "is above",
            Self::Gte => "is at least",
            Self::Lt => "is below",
            Self::Lte => "is at most",
            Self::Contains => "contains",
            Self::In => "is one of",
            Self::StartsWith => "begins with",
            Self::EndsWith => "ends with",
        }
    }
}
