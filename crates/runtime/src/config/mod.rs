//! Configuration: the settings that people write, the files they are in, and the settings that result.
//!
//! A setting comes from the first of these that has it: a `PITON_…` environment variable, `piton.toml` of the project,
//! `config.toml` in the user's configuration directory, a default.
//!
//! | file | contents |
//! |---|---|
//! | `table` | the table of settings: where each may be set, its values and default, what a change requires |
//! | `value` | the forms of values, and their syntax |
//! | `settings` | the settings of one source, those that result, and those that are not in force yet |
//! | `configuration` | finds, reads and writes the files |
//! | `file` | a configuration file, parsed with every problem at once, each with its position and a fix |
//! | `environment` | the variables |
//! | `change_check` | what a change leads to: refused, or allowed with a warning |
//! | `edit` | changes one setting of a file and leaves the rest as its author wrote it |
//! | `shown` | every setting with its value, what is in force, and what a change takes |
//! | `section` | the table of sections: lists and tables for a part of Piton, each parsed as a whole |
//! | `schema` | the JSON Schema of the files |
//!
//! *Invariants*: an unknown setting is a problem, never ignored. No secret is a setting: a token is in its own file,
//! and a setting names the file. A project, which may come from strangers, sets nothing that belongs to the machine.

mod change_check;
mod configuration;
mod edit;
mod environment;
mod file;
pub mod schema;
pub mod section;
mod settings;
mod shown;
mod table;
mod value;

pub use configuration::{ChangedFile, Configuration, PROJECT_FILE, SetError, USER_FILE};
pub use edit::{EditError, set};
pub use environment::Environment;
pub use file::ConfigProblem;
pub use settings::{EffectiveSetting, SettingDifference, SettingSource, Settings, Status};
pub use shown::{SectionShown, SettingShown, SettingsShown};
pub use table::{Answers, Effect, LogLevel, RunNeeded, SettingKey};
pub use value::{Value, ValueForm};
