//! Rules that every index adapter shares: what a word is, what matches, what an excerpt is, and which calls are
//! refused.
//!
//! Pure, so that no two adapters can differ in them. An adapter stores the tokens that are made here, and looks for
//! tokens that are made here; it never splits or folds a text itself.
//!
//! | file | holds |
//! |---|---|
//! | `token` | splitting a text into tokens |
//! | `term` | what is searched for: tokens that follow each other |
//! | `excerpt` | the part of a text that shows the match |
//! | `facet` | counting the texts of a field |
//! | `limits` | the calls that are refused |

mod excerpt;
mod facet;
mod limits;
mod term;
mod token;

pub use excerpt::{Excerpt, ExcerptPiece};
pub(crate) use facet::FacetCount;
pub(crate) use limits::{check_page, check_query, check_remove, check_replace};
pub use term::Term;
pub use token::{TextToken, tokens};
