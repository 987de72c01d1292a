//! Configuration: what a person sets, in which file, and what holds in the end.
//!
//! A setting comes from the first of these that has it: a `PITON_…` variable of the environment, `piton.toml` of
//! the project, `config.toml` in the user's configuration directory, a default.
//!
//! | file | holds |
//! |---|---|
//! | `key` | every setting, in one table: where it may stand, what it takes, what it takes to change it |
//! | `value` | what a setting takes, and how that is written |
//! | `layer` | what one place says |
//! | `file` | a configuration file, read with every problem at once |
//! | `environment` | the variables |
//! | `settings` | what holds, and its digest |
//! | `status` | what is set against what is in force |
//! | `load` | finds, reads and writes the files |
//! | `edit` | changes one setting of a file and leaves the rest as its author wrote it |
//! | `section` | lists and tables that a part is told, each read whole |
//! | `problem` | what is wrong, where, and what to write |
//! | `schema` | the JSON Schema of the files |
//!
//! *Invariants*: a setting that is not known is a problem, never ignored. No secret is a setting: a token stands in
//! a file of its own, and a setting names the file. A project, which may come from strangers, sets nothing that
//! belongs to the machine.

mod edit;
mod environment;
mod file;
mod key;
mod layer;
mod load;
mod problem;
#[cfg(feature = "schema")]
pub mod schema;
pub mod section;
mod settings;
mod status;
mod value;

pub use edit::{EditError, set};
pub use environment::Environment;
pub use key::{Answers, Effect, LogLevel, RunNeeded, SettingKey};
pub use layer::{Layer, LayerValue, SettingSource};
pub use load::{Configuration, PROJECT_FILE, SetError, USER_FILE};
pub use problem::ConfigProblem;
pub use settings::{EffectiveSetting, Settings};
pub use status::{SettingDifference, Status};
pub use value::{Value, ValueForm};
