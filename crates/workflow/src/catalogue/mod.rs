//! Everything that an author may use from Piton by name, with the text to paste.
//!
//! [`catalogue`] returns a [`CatalogueEntry`] for each contract, feature, probe, text and template. Editors
//! complete from it, and the reference page is generated from it.
//!
//! *Invariants*: entries are made from the sets that the compiler itself uses, so there is no second list
//! that could differ. The text to paste compiles at the place where it belongs.

mod descriptions;
mod entries;
mod entry;

pub use entries::catalogue;
pub use entry::{BuiltinKind, CatalogueEntry, PastePoint};
