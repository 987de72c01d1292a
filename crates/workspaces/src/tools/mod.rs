//! The tools as models see them: requests, descriptions, schemas, and calls by name.

mod call;
mod card;
mod middleware;
mod request;

pub use call::CallReply;
pub use card::card;
pub use middleware::{FilesMiddleware, Middleware, ModelCall, ModelToolCall};
pub use request::{
    ALIASES, CopyRequest, DeleteRequest, EditRequest, GlobRequest, GrepOutput, GrepRequest,
    LsRequest, MkdirRequest, MoveRequest, ReadRequest, StatRequest, WriteRequest,
};
