//! One contract: the artifact that a step must submit, and its shape.
//!
//! *Invariants*: a definition is complete as data. Its holder can check artifacts, show an example and list
//! the requirements without consulting a registry, so a pinned workflow keeps the meaning that it had when it
//! was pinned.

use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shape::{Field, Presence, sorted};
use super::violation::{ArtifactPath, ObjectEntries, Violation, ViolationKind, check_fields};
use crate::reason::ContractViolation;
use crate::source::ContractRef;

/// The field that names the kind of an artifact.
const KIND: &str = "kind";

/// A contract as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContractDefinition {
    /// Its name.
    pub contract_ref: ContractRef,
    /// The `kind` of the artifact that it is about.
    pub artifact_kind: String,
    /// The fields of the artifact beside `kind`, sorted by name.
    pub fields: Vec<Field>,
    /// An artifact that keeps the contract.
    pub example: Value,
}

/// A way in which the artifacts of a step break a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// None of the artifacts is of the contract's kind.
    Missing {
        /// The contract's kind.
        required: String,
        /// The kinds that were found instead; `None` stands for an artifact without a kind.
        found: Vec<Option<String>>,
    },
    /// The first artifact of the contract's kind is wrong.
    Invalid {
        /// The position among the artifacts.
        index: usize,
        /// Everything that is wrong with it.
        violations: Vec<Violation>,
    },
    /// Two artifacts contradict each other.
    Contradiction {
        /// The subject of the contradiction.
        about: String,
        /// The position of each among the artifacts, and its statement.
        said: [(usize, String); 2],
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { required, found } if found.is_empty() => {
                write!(formatter, "no artifact was submitted; one of kind `{required}` is required")
            }
            Self::Missing { required, found } => {
                let count = found.len();
                write!(formatter, "of {count} artifacts none is of the required kind `{required}`")
            }
            Self::Invalid { index, violations } => {
                write!(formatter, "artifact {index} breaks its contract:")?;
                violations.iter().try_for_each(|violation| write!(formatter, "\n- {violation}"))
            }
            Self::Contradiction { about, said: [(first, one), (second, other)] } => write!(
                formatter,
                "two artifacts say different things about {about}: artifacts[{first}] says {one}, \
                 artifacts[{second}] says {other}"
            ),
        }
    }
}

impl Breach {
    /// Returns the reason for which the run stops.
    pub const fn reason(&self) -> ContractViolation {
        match self {
            Self::Missing { .. } => ContractViolation::MissingRequiredOutput,
            Self::Invalid { .. } | Self::Contradiction { .. } => {
                ContractViolation::InvalidRequiredOutput
            }
        }
    }
}

impl ContractDefinition {
    /// Creates a contract over `fields`, in whatever order they are given.
    pub fn new(
        contract_ref: ContractRef,
        artifact_kind: &str,
        fields: Vec<Field>,
        example: Value,
    ) -> Self {
        Self {
            contract_ref,
            artifact_kind: artifact_kind.to_owned(),
            fields: sorted(fields),
            example,
        }
    }

    /// Returns the first artifact of the contract's kind if it keeps the contract. Prose does not count.
    pub fn accept<'a>(&self, artifacts: &'a [Value]) -> Result<&'a Value, Breach> {
        let is_wanted = |artifact: &Value| kind_of(artifact) == Some(&self.artifact_kind);
        // The first of its kind decides; a later valid one does not make up for it.
        let Some(index) = artifacts.iter().position(is_wanted) else {
            let found = artifacts.iter().map(|other| kind_of(other).map(str::to_owned)).collect();
            return Err(Breach::Missing { required: self.artifact_kind.clone(), found });
        };
        let violations = self.violations(&artifacts[index]);
        if violations.is_empty() {
            Ok(&artifacts[index])
        } else {
            Err(Breach::Invalid { index, violations })
        }
    }

    /// Returns everything that is wrong with `artifact`; empty if it keeps the contract.
    pub fn violations(&self, artifact: &Value) -> Vec<Violation> {
        let mut found = Vec::new();
        let top = ArtifactPath::Root;
        // Without an object there are no fields to check, so this is the only violation.
        let Value::Object(entries) = artifact else {
            let required = "an object".to_owned();
            found.push(Violation::of(top, ViolationKind::WrongType, artifact, required));
            return found;
        };
        let at = ArtifactPath::Field(&top, KIND);
        let wanted = || format!("\"{}\"", self.artifact_kind);
        match entries.get(KIND) {
            None => found.push(Violation::absent(at, wanted())),
            Some(Value::String(kind)) if *kind == self.artifact_kind => {}
            Some(other) => {
                found.push(Violation::of(at, ViolationKind::NotAllowed, other, wanted()));
            }
        }
        // `kind` was checked above and is not among the fields, so it must not count as an unknown one.
        let beside = ObjectEntries { all: entries, apart: Some(KIND) };
        check_fields(&self.fields, false, beside, top, &mut found);
        found
    }

    /// Returns the lines for a prompt: the contract, then every field, the required ones first. None is left
    /// out, because an artifact without it would be refused.
    pub fn requirements(&self) -> String {
        let mut text = format!(
            "- Artifact contract: {}\n- Provide artifact with fields:\n  - kind: \"{}\"",
            self.contract_ref, self.artifact_kind
        );
        let (required, others): (Vec<_>, Vec<_>) =
            self.fields.iter().partition(|field| field.presence == Presence::Required);
        for Field { name, presence, shape } in required.into_iter().chain(others) {
            let written = match presence {
                Presence::Required => write!(text, "\n  - {name}: {shape}"),
                other => write!(text, "\n  - {name} ({other}): {shape}"),
            };
            written.expect("writing to a string does not fail");
        }
        text
    }
}

/// Returns the kind that an artifact claims to be of.
fn kind_of(artifact: &Value) -> Option<&str> {
    artifact.get(KIND)?.as_str()
}
