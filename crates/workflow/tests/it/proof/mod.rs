//! What holds whatever happens: random agents, kills at every call of the disk, races, and stored bytes.

mod act;
mod answered;
mod bytes;
mod check;
mod damage;
mod errors;
mod exchanged;
mod given_up;
mod kills;
mod losses;
pub(crate) mod naive;
mod property;
mod races;
mod recorded;
mod story;
mod stripped;
mod tally;
mod workflows;
mod world;
