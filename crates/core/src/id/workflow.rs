//! Workflow ids: `namespace.name`.
//!
//! *Limitations*: ids without a namespace, which older files use, are not workflow ids. The compiler that accepts such
//! files adds one.

use std::str::FromStr;
use std::sync::Arc;

use super::error::{IdError, IdProblem};
use crate::bounds::WORKFLOW_ID_BYTES_MAX;

const FORM: &str = "namespace.name";
const SEGMENT: &str = "a-z, 0-9, `_` and `-` in each part, which starts with a letter";

/// The name of a workflow: two parts joined by one dot, each a lowercase letter followed by lowercase letters, digits,
/// `_` and `-`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkflowId(Arc<str>);

impl WorkflowId {
    /// Returns the whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the dot.
    pub fn namespace(&self) -> &str {
        self.parts().0
    }

    /// Returns the part after the dot.
    pub fn name(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (&str, &str) {
        self.0.split_once('.').expect("parsing found one dot")
    }
}

fn check(text: &str) -> Result<(), IdProblem> {
    if text.len() > WORKFLOW_ID_BYTES_MAX {
        return Err(IdProblem::TooLong { max_bytes: WORKFLOW_ID_BYTES_MAX });
    }
    let (namespace, name) = text.split_once('.').ok_or(IdProblem::Form { form: FORM })?;
    if name.contains('.') {
        return Err(IdProblem::Form { form: FORM });
    }
    check_segment(namespace)?;
    check_segment(name)
}

fn check_segment(segment: &str) -> Result<(), IdProblem> {
    let (first, rest) = segment.as_bytes().split_first().ok_or(IdProblem::Empty)?;
    let allowed = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    if first.is_ascii_lowercase() && rest.iter().all(allowed) {
        Ok(())
    } else {
        Err(IdProblem::Character { allowed: SEGMENT })
    }
}

impl FromStr for WorkflowId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match check(text) {
            Ok(()) => Ok(Self(text.into())),
            Err(problem) => Err(problem.of("WorkflowId")),
        }
    }
}

crate::shown_as_text!(WorkflowId);
crate::text_form!(
    WorkflowId,
    "a workflow id `namespace.name`",
    r"^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$",
    WORKFLOW_ID_BYTES_MAX
);
