//! Contracts over artifacts and criteria over notes.

mod criteria;
mod definition;
mod pack;
