//! Tests of the backpack.
#![expect(clippy::disallowed_methods, reason = "tests start threads and read their own files")]

mod access;
mod document;
mod history;
mod packing;
mod rig;
mod time_travel;
