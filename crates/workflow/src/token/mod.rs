//! Tokens: signed references that are handed to an agent.
//!
//! A token names the node of a run that it refers to. It is signed, so nobody has to remember which tokens
//! were issued: there is no table of tokens, and log, pins and keys are enough to check one.
//!
//! | file | holds |
//! |---|---|
//! | `payload` | the content of a token, its purpose, and its one encoding; no keys |
//! | `string` | the long form, `st.v1.<payload>.<signature>`; either form, as a caller sends it |
//! | `short` | the short form, `ak-7h2kq9xd-3-0-<80 bits>` |
//! | `find` | tokens inside a text |
//! | `attempt` | ids that are computed rather than drawn |
//! | `sign` | minting and verifying both forms with a key ring |
//! | `error` | the reasons for refusing a token |
//!
//! *Invariants*: a payload has exactly one text, and only that text is accepted. Tokens are checked in a
//! fixed order: form and version first, then the signature. The caller looks up what the token names only
//! after that.

mod attempt;
mod error;
mod find;
mod payload;
mod short;
mod sign;
mod string;

pub use attempt::{AttemptKind, AttemptOrdinal, attempt_id, checkpoint_node_id};
pub use error::{Error, FormatProblem, TokenError};
pub use find::find_tokens;
pub use payload::{AckPayload, CheckpointPayload, NodeAddress, Payload, StatePayload, TokenKind};
pub use short::{NodeOrdinal, SessionTail, ShortToken, ShortTokenError, TokenOrdinals};
pub use sign::{mint_forms, verify, verify_short};
pub use string::{AnyToken, TokenString, TokenStringError};
