//! The node types that come with Piton.
//!
//! | type | does |
//! |---|---|
//! | `chat` | asks a model and packs its answer |
//! | `chat_each` | asks a model once for each entry of a list, and packs the answers |
//! | `decision` | lets a model choose where the flow continues |
//! | `tool_params` | lets a model write the arguments of a tool |
//! | `tool_call` | calls a tool and packs its result |
//! | `agent` | lets a model call tools until it has the answer: a loop of the three above |
//! | `final_answer` | asks a model, packs its answer, and ends the flow |
//! | `flow` | a flow inside the flow |
//!
//! A prompt contains only what it names: `{{key}}` stands for the value under that key, and `context` lists namespaces
//! whose values are added. A value that a node may not read never gets into its prompt.

mod agent;
mod chat;
mod decision;
mod model_query;
mod node_types;
mod template;
mod tool_call;

pub(crate) use node_types::register;
