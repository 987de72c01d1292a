//! Configuration: the settings that people write, the files they are in, and the settings that result.
//!
//! A setting comes from the first of these that has it: a `PITON_…` environment variable, `piton.toml` of the project,
//! `config.toml` in the user's configuration directory, a default.
//!
//! | file | contents |
//! |---|---|
//! | `key` | every setting, in one table: where it may be set, its values, what a change requires |
//! | `value` | the forms of values, and their syntax |
//! | `layer` | the settings of one source |
//! | `file` | a configuration file, parsed with every problem at once |
//! | `environment` | the variables |
//! | `settings` | the resulting settings, and their digest |
//! | `status` | desired settings against those in force |
//! | `load` | finds, reads and writes the files |
//! | `edit` | changes one setting of a file and leaves the rest as its author wrote it |
//! | `section` | lists and tables for a part of Piton, each parsed as a whole |
//! | `problem` | problems, with their position and a fix |
//! | `schema` | the JSON Schema of the files |
//!
//! *Invariants*: an unknown setting is a problem, never ignored. No secret is a setting: a token is in its own file,
//! and a setting names the file. A project, which may come from strangers, sets nothing that belongs to the machine.

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
