//! A disk in memory whose every call can fail, and whose power can go out.
//!
//! Fault model: see [`FaultKind`] for the ways in which a call can fail, and the `image` module for
//! what a power cut leaves. Calls are counted from 0, including reads. The same seed gives the same image.
//!
//! Limitations: permissions are not modelled. A rename between two directories is two changes, so a power cut may leave
//! either name, both, or none.

mod calls;
mod disk;
mod fault;
mod image;

pub use disk::SimDisk;
pub use fault::{DiskFault, FaultKind};
