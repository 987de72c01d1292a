//! Workflow files as their authors write them.
//!
//! A file is JSON in one of two dialects. Each has a module that reads it, and both are lowered to one
//! [`CompiledWorkflow`](crate::compile::CompiledWorkflow). The shape of a file determines its dialect:
//!
//! * *strict*: loops are driven by a contract only, prompts hold no variables, and texts, templates and
//!   contracts come from closed sets. Described below.
//! * *classic*: the form that existing workflow files use, with conditions on the context of a run and
//!   variables in prompts. Described in `docs/format/workflow-file.md`.
//!
//! | file | holds |
//! |---|---|
//! | `json`, `read`, `problem` | parsing and reading that continue after a problem, and the problems with their positions |
//! | `detect` | the dialects, and which one a file is in |
//! | `fields` | the names of fields, for editors |
//! | `task`, `prompt`, `criteria`, `function`, `access` | what both dialects have: a step, its prompt, the rules for its notes, functions, access |
//! | `strict`, `classic` | the rest of each dialect: the whole file, loops, calls; predicates, assessments and slots of the classic one |
//! | `workflow_id`, `builtin_id` | the id that a file declares, and the ids of things that come with Piton |
//! | `schema` | both dialects as JSON Schemas, for editors |
//! | `position` | the places of problems in the text |
//! | `rename` | workflow ids renamed in the text of a file |
//!
//! # The strict dialect
//!
//! | field of the file | what it holds |
//! |---|---|
//! | `id` | `namespace.name`; an older id without a namespace is loaded with a warning |
//! | `name`, `description`, `agentRole` | optional texts |
//! | `tags` | optional: at most 8 names for what kinds of work it is for |
//! | `recommendedPreferences` | `recommendedAutonomy`, `recommendedRiskPolicy` |
//! | `capabilities` | for each capability `required`, `preferred` or `disabled` |
//! | `features` | ids, or `{featureId, config}` |
//! | `conditions` | `{conditionId, kind: "loop_control", loopId}` |
//! | `functionDefinitions` | `{name, definition}`; loops and steps may have their own |
//! | `steps` | steps, loops and template calls, in order |
//!
//! | a step has | what it holds |
//! |---|---|
//! | `id`, `title` | required |
//! | `prompt` or `promptBlocks` | one text, or `goal`, `constraints`, `procedure`, `outputRequired` and `verify` |
//! | `outputContract` | `{contractRef}`: the artifact that must be submitted |
//! | `validationCriteria` | a rule or a list of rules over the notes: `contains`, `regex`, `length`, `and` |
//! | `requireConfirmation`, `notesOptional` | true or false |
//! | `agentRole`, `functionDefinitions`, `functionReferences` | optional |
//! | `needsUser` | the input that only a person can supply, and the question to ask |
//! | `access` | the access that an agent has while the step is pending |
//!
//! All prompt blocks but `outputRequired` may include texts with `{kind: "ref", refId}`.
//!
//! A loop is `{type: "loop", loopId, maxIterations, while: {kind: "condition_ref", conditionId}, body}`, and
//! exactly one step of its body has the contract `wr.contracts.loop_control`. A template call is
//! `{type: "template_call", id, templateId, args}` and is replaced by steps whose ids begin with its own.
//!
//! *Invariants*: reading reports every problem of a file at once, each with its position, a code of a closed
//! set, and a remedy. A field that a dialect does not know is a problem.

mod access;
mod builtin_id;
pub(crate) mod classic;
mod criteria;
mod detect;
mod fields;
mod function;
mod json;
mod position;
mod problem;
mod prompt;
mod read;
mod rename;
mod schema;
pub(crate) mod strict;
mod task;
mod workflow_id;

pub use builtin_id::{ContractRef, FeatureId, ROUTINE_PREFIX, RefId, RoutineId, TemplateId};
pub use detect::{Dialect, dialect_of};
pub use fields::step_fields;
pub use position::{TextRange, locate};
pub use problem::{Pointer, ProblemCode, SourceProblem};
pub use rename::rename_ids;
pub use schema::file_schema;
pub use workflow_id::{DeclaredId, IdStatus, Purpose, SourceOrigin};

pub(crate) use detect::detect;
pub(crate) use function::{Function, FunctionReference};
pub(crate) use json::parse;
pub(crate) use problem::Problems;
pub(crate) use prompt::{Blocks, Item, Prompt, PromptPart, Prose};
pub(crate) use read::{FromSource, ObjectReader, Whole, parsed, read_by_parsing, text};
pub(crate) use task::{ContractUse, RoutineCall, Task, TaskContent};
