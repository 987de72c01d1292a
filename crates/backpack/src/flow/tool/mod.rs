//! Tools that flow nodes call: functions in Rust, or anything that an adapter puts behind the same trait.

mod large_numbers;
mod tools;

pub(crate) use large_numbers::{LargeNumbers, keep_as_text};
pub(crate) use tools::TOOLS_COME_FROM;
pub use tools::{FunctionTool, Tool, ToolError, ToolResult, Tools};
