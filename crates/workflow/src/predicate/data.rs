//! A predicate as plain data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::criteria::Pattern;

piton_core::closed_set! {
    /// How a variable is compared with a value. The names are those of the file.
    pub enum Comparison {
        /// They are equal, leniently.
        Equals => "equals",
        /// They are not.
        NotEquals => "not_equals",
        /// Both are numbers, and the variable is larger.
        Gt => "gt",
        /// Both are numbers, and the variable is not smaller.
        Gte => "gte",
        /// Both are numbers, and the variable is smaller.
        Lt => "lt",
        /// Both are numbers, and the variable is not larger.
        Lte => "lte",
        /// The variable is a text or a list that holds the value.
        Contains => "contains",
        /// The value is a list that holds the variable.
        In => "in",
        /// Both are texts, and the variable begins with the value.
        StartsWith => "startsWith",
        /// Both are texts, and the variable ends with the value.
        EndsWith => "endsWith",
    }
}

/// What must hold of what a run was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// A variable is there and does not say no.
    Set {
        /// The variable.
        variable: String,
    },
    /// A variable compares with a value in a certain way.
    Compare {
        /// The variable.
        variable: String,
        /// The way.
        operator: Comparison,
        /// The value.
        operand: Value,
    },
    /// A variable is a text that matches a pattern somewhere.
    Matches {
        /// The variable.
        variable: String,
        /// The pattern.
        pattern: Pattern,
    },
    /// All of several hold. Of none, all do.
    All {
        /// Which.
        of: Vec<Predicate>,
    },
    /// At least one of several holds.
    Any {
        /// Which.
        of: Vec<Predicate>,
    },
    /// Another one does not hold.
    Not {
        /// Which.
        of: Box<Predicate>,
    },
}

impl Predicate {
    /// Returns the conjunction of the two; an absent one always holds.
    pub(crate) fn both(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Self::All { of: vec![one, other] }),
            (one, other) => one.or(other),
        }
    }
}
