//! What holds whatever happens: random agents, kills at every call of the disk, races, and stored bytes.

mod act;
mod check;
mod naive;
mod property;
mod workflows;
mod world;
