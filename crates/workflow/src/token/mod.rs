//! Tokens: signed references that an agent is given.
//!
//! A token says which node of which run it is about, and is signed, so that nobody has to remember
//! which tokens there are. There is no table of tokens: log, pins and keys are enough to check one.
//!
//! | file | holds |
//! |---|---|
//! | `kind` | what a token is for |
//! | `address`, `payload` | what a token says, and its one encoding; no keys |
//! | `string` | the long form, `st.v1.<payload>.<signature>` |
//! | `short` | the short form, `ak-7h2kq9xd-3-0-<80 bits>` |
//! | `given` | either form, as a caller sends it |
//! | `attempt` | ids that are computed instead of drawn |
//! | `sign` | minting and verifying both forms with a key ring |
//! | `error` | why a token is refused |
//!
//! *Invariants*: a payload has one text, and only that text is read. A token is checked in one order:
//! its form and version, then its signature; what it names is looked up by the caller after that.

mod address;
mod attempt;
mod base32;
mod error;
mod given;
mod kind;
mod payload;
mod short;
mod sign;
mod string;

pub use address::NodeAddress;
pub use attempt::{AttemptKind, AttemptOrdinal, attempt_id, checkpoint_node_id};
pub use error::{Error, FormatProblem, TokenError};
pub use given::GivenToken;
pub use kind::TokenKind;
pub use payload::{AckPayload, CheckpointPayload, Payload, StatePayload};
pub use short::{NodeOrdinal, SessionTail, ShortToken, ShortTokenError, TokenOrdinals};
pub use sign::{mint_forms, verify, verify_short};
pub use string::{TokenString, TokenStringError};
