//! Names of things that come with Piton: `wr.<kind>.<name>`.
//!
//! A workflow id has one dot and these have at least two, so one is never mistaken for the other.
//!
//! *Invariants*: an id names its kind, and each kind is a type. A text can be an id without this version of
//! Piton knowing it: a pinned workflow may name something that another version brought.
//!
//! ```compile_fail,E0308
//! # use piton_workflow::source::{ContractRef, FeatureId};
//! fn swapped(id: FeatureId) -> ContractRef { id }
//! ```

use piton_core::{IdError, IdProblem};

use crate::bounds::NAME_BYTES_MAX;

const ALLOWED: &str = "a-z, 0-9 and `_` after its prefix, which is followed by a letter";
const ALLOWED_IN_ROUTINES: &str =
    "a-z, 0-9, `_` and `-` after its prefix, which is followed by a letter";

fn check(text: &str, prefix: &str, form: &'static str) -> Result<(), IdProblem> {
    if text.len() > NAME_BYTES_MAX {
        return Err(IdProblem::TooLong { max_bytes: NAME_BYTES_MAX });
    }
    let name = text.strip_prefix(prefix).ok_or(IdProblem::Form { form })?;
    let (first, rest) = name.as_bytes().split_first().ok_or(IdProblem::Empty)?;
    // Only routines may have hyphens, since they are named after the ids of workflow files.
    let hyphen = prefix == RoutineId::PREFIX;
    let allowed = |byte: &u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'_' => true,
        b'-' => hyphen,
        _ => false,
    };
    if first.is_ascii_lowercase() && rest.iter().all(allowed) {
        Ok(())
    } else {
        Err(IdProblem::Character { allowed: if hyphen { ALLOWED_IN_ROUTINES } else { ALLOWED } })
    }
}

/// Declares ids that differ in name and prefix only.
macro_rules! builtin_ids {
    ($($(#[$meta:meta])* $name:ident => $prefix:literal $(with $more:literal)?,)+) => {$(
        piton_core::checked_text! {
            $(#[$meta])*
            ///
            /// The prefix is followed by a lowercase letter and then by lowercase letters, digits and `_`.
            pub struct $name: IdError, concat!("an id such as `", $prefix, "name`"),
            concat!("^", $prefix, "[a-z][a-z0-9_", $($more,)? "]*$"), NAME_BYTES_MAX,
            |text| check(text, $prefix, concat!($prefix, "name"))
                .map_err(|problem| IdError { kind: stringify!($name), problem })
        }

        impl $name {
            /// The prefix of every id of this kind.
            pub const PREFIX: &'static str = $prefix;
        }
    )+};
}

builtin_ids! {
    /// Names a contract: `wr.contracts.<name>`.
    ContractRef => "wr.contracts.",
    /// Names a feature: `wr.features.<name>`.
    FeatureId => "wr.features.",
    /// Names a text that prompts may take in: `wr.refs.<name>`.
    RefId => "wr.refs.",
    /// Names a template: `wr.templates.<name>`.
    TemplateId => "wr.templates.",
    /// Names a routine: `wr.templates.routine.<name>`, of which the name may hold `-`.
    RoutineId => "wr.templates.routine." with "-",
}

/// The beginning of a routine file's workflow id, after its namespace.
pub const ROUTINE_PREFIX: &str = "routine-";

impl RoutineId {
    /// Returns the routine that a workflow file with the id `declared` is, if it is one: its name without the
    /// namespace and without `routine-` (or `routine_`). A file in a directory of routines needs no such
    /// prefix.
    pub fn of_file(declared: &str, in_directory: bool) -> Option<Self> {
        let name = declared.rsplit('.').next()?;
        let stripped = name.strip_prefix(ROUTINE_PREFIX).or_else(|| name.strip_prefix("routine_"));
        let name = stripped.or(in_directory.then_some(name))?;
        format!("{}{name}", Self::PREFIX).parse().ok()
    }

    /// True if two ids name one routine: `-` and `_` are equivalent in them.
    pub fn is_same(&self, other: &Self) -> bool {
        let plain = |byte: u8| if byte == b'-' { b'_' } else { byte };
        self.0.bytes().map(plain).eq(other.0.bytes().map(plain))
    }
}
