//! The tests of the runtime, in one binary.
