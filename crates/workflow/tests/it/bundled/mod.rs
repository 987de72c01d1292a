//! The workflows that come with Piton.

mod files;
mod resolve;
