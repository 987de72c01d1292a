//! Tools that flow nodes call: functions in Rust, or anything that an adapter puts behind the same trait.

mod error;
mod function;
mod large_numbers;
mod registry;

pub(crate) use error::TOOLS_COME_FROM;
pub use error::ToolError;
pub use function::{FunctionTool, Tool, ToolResult};
pub(crate) use large_numbers::{LargeNumbers, keep_as_text};
pub use registry::Tools;
