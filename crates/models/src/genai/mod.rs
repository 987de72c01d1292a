//! Real providers, through the `genai` library.
//!
//! What the library does not do is done here: it ends a cut stream silently, hides the status of a failed stream
//! two errors deep, and waits for ever unless told otherwise.
//!
//! *Limitations*: the library reads a model name that ends in `-low`, `-medium`, `-high` and the like as the name
//! before it and an effort of reasoning. A whole answer is read into memory before its size is looked at; a
//! stream is measured as it comes.

mod failure;
mod providers;
mod receive;
mod send;
mod streaming;

pub use providers::Providers;
