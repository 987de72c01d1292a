//! What happened to a backpack, and its earlier states.
//!
//! * [`Commit`](commit::Commit), [`CommitId`](commit_id::CommitId): one entry of the history, and its id.
//! * [`History`](commits::History): the commits in memory, and the states that they lead to; a filter over them.
//! * [`StateDiff`](diff::StateDiff): what differs between two states.

pub(crate) mod commit;
pub(crate) mod commit_id;
pub(crate) mod commits;
pub(crate) mod diff;
