//! The query line: what a person types to find runs, such as `status:blocked workflow:wr.* age<1d gaps>0 login`.
//!
//! A line is a list of terms, separated by spaces. A run must match every one of them; `-` before a term turns it
//! around.
//!
//! | term | holds for a run if |
//! |---|---|
//! | `login` | its label, goal, notes, workflow or steps have the word; `run_index` also finds `run index` |
//! | `log*` | one of their words begins with it |
//! | `"log in"` | they have these words, next to each other |
//! | `status:blocked`, `workflow:wr.*,project.*` | the field is one of these texts, or begins like one |
//! | `gaps>0`, `nodes<=3`, `tips:2` | the number is so |
//! | `age<1d`, `started>2w` | its newest event, or its first, is younger or older (`s`, `m`, `h`, `d`, `w`) |
//!
//! *Invariants*: pure. Whatever cannot be understood is reported with its place and with what would be valid, and is
//! never ignored. A line that is printed and read again is the same line.
//!
//! | file | holds |
//! |---|---|
//! | `line` | reading a line |
//! | `field` | the fields of a line, and what their values look like |
//! | `filter` | what the index is asked for |
//! | `completion` | what could be typed next |

mod completion;
mod field;
mod filter;
mod line;

pub use completion::{Completion, completions};
pub use field::QueryField;
pub use line::{Condition, NumberComparison, QueryLine, QueryProblem, QueryTerm, TextPattern};
