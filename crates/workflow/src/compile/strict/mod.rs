//! Lowers the strict dialect to a compiled workflow.
//!
//! | file | does |
//! |---|---|
//! | `lower` | walks the file: steps, loops, conditions, template calls |
//! | `feature` | additions that an author switches on for a whole workflow |
//! | `step_template` | ready-made steps in place of their call |
//! | `delegation` | the template that has work done by subagents, and a lint for such prompts |

pub(super) mod delegation;
mod feature;
mod lower;
mod step_template;

pub use feature::Feature;
pub use step_template::StepTemplate;

pub(super) use lower::lower;
