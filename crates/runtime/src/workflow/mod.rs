//! The use cases, over ports that the caller supplies.
//!
//! | file | contents |
//! |---|---|
//! | `runtime` | the state of a process: the effects that the use cases need, settings, compiled workflows, folded sessions |
//! | `artifacts` | read artifacts |
//! | `workflows` | list and inspect workflows |
//! | `runs` | start and resume runs; a person's verdict on a step that waits for one |
//! | `run_page` | find runs: by a query line, and by words |
//! | `reference` | the session or run that a person names |
//! | `loaded_session` | a session that was loaded for inspection |
//! | `run_tree` | a run as people see it: step by step, or as a graph |
//! | `sessions` | list, show, draw, keep and delete sessions |
//! | `settings` | show and change settings |
//! | `sources` | read, check, save and copy workflow files |
//! | `step_grant` | the step that a call of another tool belongs to |
//! | `preferences` | preferences of runs, in general and for one run |
//! | `maintenance` | check, repair, clean, export, import, new keys; the owners of each namespace of blobs |
//!
//! *Invariants*: a use case loads, decides, appends, and replies. Each is a method of [`Runtime`]. The calls of an
//! agent go through a [`Connection`](crate::Connection), which knows where the agent is.

pub(crate) mod artifacts;
mod event_page;
mod inbox;
pub(crate) mod loaded_session;
mod maintenance;
mod pinned_workflow;
mod preferences;
pub(crate) mod reference;
mod run_page;
mod run_shape;
mod run_tree;
mod runs;
mod runtime;
mod sessions;
mod settings;
mod sources;
mod step_detail;
mod step_grant;
mod workflow_stats;
mod workflows;

pub use piton_store::collect::CollectMode;
pub use piton_workflow::bounds::BUNDLE_BYTES_MAX;
pub use piton_workflow::compile::{CompiledWarning, CompiledWorkflow, WarningCode};
pub use piton_workflow::event::{Blocker, Preferences};
pub use piton_workflow::projection::{DecisionKind, PersonDecision, RunSummary, StepPlace};
pub use piton_workflow::run_index::RunField;
pub use piton_workflow::session::{DECIDED, DecisionLine, ReplyBody, ReplyKind, RunLine};
pub use piton_workflow::source::{Purpose, SourceProblem, TextRange};
pub use piton_workflow::{Autonomy, BlockerCode, NodeKind, RiskPolicy, RunStatus, SourceKind};
#[cfg(feature = "flow")]
pub(crate) use run_page::search_terms;
pub use runtime::{Runtime, RuntimePorts};
pub use settings::{SetSetting, SettingChanged};
pub use step_grant::CallBasis;
