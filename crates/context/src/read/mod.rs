//! Reading context: views of a node, compositions of its surroundings, and their text.
//!
//! *Invariants*: nothing is written and nothing is remembered between calls. The same request on the same store gives
//! the same bytes; ties are broken by frame id.

mod compose;
mod level;
mod node;
mod preview;
mod view;

pub use compose::{ComposeContext, ComposeSource, Composed, Composition, tokens};
pub use level::{FrameCounts, LevelEntry, LevelQuery, TreeLevel};
pub use node::NodeContext;
pub(crate) use preview::preview;
pub use preview::{ComposePreview, PreviewedFrame};
pub use view::{GetContext, Order, Relation, View, ViewedFrame, relevance};
