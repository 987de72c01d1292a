//! Backpacks that survive.

mod concurrent;
mod faults;
mod forks;
pub(crate) mod kill;
mod past;
pub(crate) mod processes;
mod reopening;
mod roots;
mod site;
mod syncs;
mod torn;
