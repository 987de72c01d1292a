//! The port through which a front end keeps replies for clients that lose their connection. The use cases know nothing
//! of it.

pub use piton_store::port::{Replies, ReplyClaim, ReplyKey};
