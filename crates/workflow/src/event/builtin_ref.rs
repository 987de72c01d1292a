//! Names of things that come with the program: contracts and templates.
//!
//! *Limitations*: looser than [`ContractRef`] and [`TemplateId`], which are limited to what this version has.
//! An event stays readable whichever version named the thing.

use std::str::FromStr;
use std::sync::Arc;

use super::payload_error::PayloadError;
use crate::bounds::NAME_BYTES_MAX;
use crate::source::{ContractRef, TemplateId};

/// The name of a built-in, such as `wr.contracts.loop_control`: at least two parts of `a-z`, `0-9`, `_` and
/// `-`, joined by dots, of at most 128 bytes. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinRef(Arc<str>);

impl BuiltinRef {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BuiltinRef {
    type Err = PayloadError;

    fn from_str(text: &str) -> Result<Self, PayloadError> {
        let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let part = |part: &str| !part.is_empty() && part.bytes().all(allowed);
        if text.len() <= NAME_BYTES_MAX && text.contains('.') && text.split('.').all(part) {
            Ok(Self(text.into()))
        } else {
            Err(PayloadError::BuiltinRef)
        }
    }
}

impl From<&ContractRef> for BuiltinRef {
    fn from(named: &ContractRef) -> Self {
        Self(named.as_str().into())
    }
}

impl From<&TemplateId> for BuiltinRef {
    fn from(named: &TemplateId) -> Self {
        Self(named.as_str().into())
    }
}

piton_core::text_form!(
    BuiltinRef,
    "a reference such as `wr.contracts.loop_control`",
    r"^[a-z0-9_-]+(\.[a-z0-9_-]+)+$",
    NAME_BYTES_MAX
);
piton_core::shown_as_text!(BuiltinRef);
