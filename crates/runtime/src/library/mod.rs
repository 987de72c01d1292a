//! The workflows that there are: from every source, compiled, with what does not load beside what does.
//!
//! Sources in their order, of which later ones win: those that come with Piton, the user's, further directories,
//! the project's.
//!
//! | file | holds |
//! |---|---|
//! | `source` | which directories are searched, and in which order |
//! | `scan` | reads the files of a directory |
//! | `routines` | the files whose steps other workflows take in |
//! | `compiled` | compiles files, and keeps what was compiled until they change |
//! | `adopt` | files that were written for another namespace, under ids of one's own |
//! | `contents` | puts everything that was found in order: who wins, who is shadowed, what does not load |
//! | `find` | a workflow by id, by an older id, or the ids that were probably meant |
//!
//! *Invariants*: a file that does not load is listed with everything that is wrong with it. The workflows that come
//! with Piton are never shadowed. A routine is no workflow: nothing lists or starts it. The same files give the same stock, in any order of their directory.

mod adopt;
mod compiled;
mod contents;
mod find;
mod routines;
mod scan;
mod source;

pub use adopt::{Adopted, Adoption, LineChange, NotAdopted, plan_adoption};
pub use compiled::Library;
pub use contents::{Broken, BrokenReason, LibraryContents, LibraryWorkflow, Routine, Shadowed};
pub use find::{FoundWorkflow, NotFound};
pub use routines::catalog_beside;
pub use source::{PROJECT_WORKFLOWS, USER_WORKFLOWS, WorkflowSource, sources};
