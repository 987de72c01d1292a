//! Tools that flow nodes call: functions in Rust, or whatever an adapter puts behind the same trait.

mod error;
mod function;
mod registry;

pub use error::ToolError;
pub use function::{FunctionTool, Tool};
pub use registry::Tools;
