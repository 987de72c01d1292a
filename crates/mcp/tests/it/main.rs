//! The tests of the door, in one binary.
