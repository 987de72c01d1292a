//! Everything that an author may take from Piton by name, with what to paste.
//!
//! [`catalogue`] gives an [`CatalogueEntry`] for each contract, feature, probe, text and template. Editors complete from
//! it, and the reference page is written from it.
//!
//! *Invariants*: entries are made from the sets that the compiler itself uses, so there is no second list that
//! could differ. What is to be pasted compiles where it is to be pasted.

mod descriptions;
mod entries;
mod entry;

pub use entries::catalogue;
pub use entry::{BuiltinKind, CatalogueEntry, PastePoint};
