//! The tests of the door, in one binary.

mod faults;
mod http;
mod malformed;
mod patience;
mod project;
mod registry;
mod revisions;
mod rig;
mod schemas;
mod several;
mod tools;
