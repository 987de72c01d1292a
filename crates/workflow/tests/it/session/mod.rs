//! Leading an agent through runs, over real stores.

mod advance;
mod blocked;
mod checkpoint;
mod context;
mod given;
mod loading;
pub(crate) mod person;
mod prefer_branch;
mod preferences;
mod refused;
mod replay;
pub(crate) mod rig;
mod shape;
mod start;
mod tokens;
