//! The workflows that come with Piton.

mod files;
mod guide;
mod resolve;
