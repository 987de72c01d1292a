//! Names of things that come with the program: contracts and templates.
//!
//! *Limitations*: looser than [`ContractRef`] and [`TemplateId`], which are limited to what this version has.
//! An event stays readable whichever version named the thing.

use super::payload_error::PayloadError;
use crate::bounds::NAME_BYTES_MAX;
use crate::source::{ContractRef, TemplateId};

piton_core::checked_text! {
    /// The name of a built-in, such as `wr.contracts.loop_control`: at least two parts of `a-z`, `0-9`, `_` and
    /// `-`, joined by dots, of at most 128 bytes.
    pub struct BuiltinRef: PayloadError, "a reference such as `wr.contracts.loop_control`",
    r"^[a-z0-9_-]+(\.[a-z0-9_-]+)+$", NAME_BYTES_MAX,
    |text| is_builtin(text).then_some(()).ok_or(PayloadError::BuiltinRef)
}

fn is_builtin(text: &str) -> bool {
    let allowed = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let part = |part: &str| !part.is_empty() && part.bytes().all(allowed);
    text.len() <= NAME_BYTES_MAX && text.contains('.') && text.split('.').all(part)
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
