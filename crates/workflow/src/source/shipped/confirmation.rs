//! `requireConfirmation`: true or false, a condition, or a person to ask with a condition.

use serde_json::Value;

use crate::compile::Confirmation;
use crate::predicate::Predicate;
use crate::source::Pointer;
use crate::source::problem::Problems;
use crate::source::read::{FromSource, ObjectReader, wrong_type};

/// The confirmation before a step: who is asked, and when. `None` for `false`.
#[derive(Clone, Debug)]
pub(crate) struct ShippedConfirmation(pub(crate) Option<Confirmation>);

impl FromSource for ShippedConfirmation {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        match value {
            Value::Bool(asked) => Some(Self(asked.then(Confirmation::default))),
            Value::Object(entries) if entries.contains_key("kind") => {
                let mut object = ObjectReader::open(value, at, problems)?;
                let kind = object.required("kind", problems);
                let when = object.optional("condition", problems);
                object.finish(problems);
                Some(Self(Some(Confirmation { kind: Some(kind?), when })))
            }
            Value::Object(_) => {
                let when = Some(Predicate::read(value, at, problems)?);
                Some(Self(Some(Confirmation { kind: None, when })))
            }
            other => {
                wrong_type(other, at, "true, false or a condition", problems);
                None
            }
        }
    }
}
