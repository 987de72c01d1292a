//! Going on from an earlier state of something, beside what came of it.
//!
//! | file | does |
//! |---|---|
//! | `run` | a token for any node of a run |
//! | `thing` (feature `flow`) | which of these a person means |
//! | `backpack` (feature `flow`) | a run of a flow from one of its nodes; a backpack from one of its commits |
//!
//! *Invariants*: a fork of a run, or of the run of a flow, writes nothing: it says what to call or to type. A fork of a
//! backpack or of an overlay is made at once, and what it was taken from stays as it is.

#[cfg(feature = "flow")]
mod backpack;
mod run;
#[cfg(feature = "flow")]
mod thing;
