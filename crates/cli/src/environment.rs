//! The process environment, read once.
#![expect(clippy::disallowed_methods, reason = "the composition root reads the environment")]

use std::env;

use piton_runtime::config::Environment;

/// Returns the environment of this process. Variables that are not valid Unicode are left out.
pub(crate) fn of_this_process() -> Environment {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let variables = env::vars_os().filter_map(text).collect();
    Environment { variables, working_dir: env::current_dir().ok() }
}
