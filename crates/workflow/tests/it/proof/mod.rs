//! What holds whatever happens: random agents, kills at every call of the disk, races, and stored bytes.

mod act;
mod check;
mod given_up;
mod kills;
mod naive;
mod property;
mod races;
mod workflows;
mod world;
