//! Contracts over artifacts and criteria over notes.

mod builtin;
mod criteria;
mod definition;
