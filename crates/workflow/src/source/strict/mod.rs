//! The strict dialect: the content of a file after reading.
//!
//! *Invariants*: every value is well-formed by itself. The compiler has to find out whether names point at
//! something, which is why everything that it may complain about carries its position.

mod step;
mod workflow;

use super::prompt::Prose;
use crate::bounds::{DESCRIPTION_BYTES_MAX, TITLE_BYTES_MAX};

pub(crate) use step::{Loop, StrictStep, TemplateCall};
pub(crate) use workflow::{Condition, FeatureUse, Recommended, StrictWorkflow, tags};

/// A title, or another line.
pub(crate) type Title = Prose<TITLE_BYTES_MAX>;

/// A few paragraphs.
pub(crate) type Description = Prose<DESCRIPTION_BYTES_MAX>;
