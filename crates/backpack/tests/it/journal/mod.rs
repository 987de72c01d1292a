//! Backpacks that survive.

mod concurrent;
mod faults;
mod followed;
mod forks;
pub(crate) mod kill;
mod past;
pub(crate) mod processes;
mod reopening;
mod repairs;
mod roots;
pub(crate) mod site;
mod syncs;
mod torn;
