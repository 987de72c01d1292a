//! Forks: continuing from an earlier state of something, beside its later history.
//!
//! | file | contents |
//! |---|---|
//! | `run` | a token for any node of a run |
//! | `thing` (feature `flow`) | the kind of thing that a person names; a flow's run from one of its nodes, a backpack from one of its commits |
//!
//! *Invariants*: forking a run, or the run of a flow, writes nothing: the reply names the call to make or the command
//! to type. A fork of a backpack or of an overlay is created at once, and its origin stays as it is.

mod run;
#[cfg(feature = "flow")]
mod thing;
