//! The library of workflows: from every source, compiled, along with the files that do not load.
//!
//! Sources in order, later ones win: those that ship with Piton, the user's, further directories, the project's.
//!
//! | file | contents |
//! |---|---|
//! | `scan` | the directories that are searched, their order, and reading their files |
//! | `routines` | files whose steps other workflows include |
//! | `compiled` | compilation, and a cache that lasts until files change |
//! | `adopt` | files written for another namespace, under ids of one's own |
//! | `contents` | the order of everything found: who wins, who is shadowed, what does not load |
//! | `source_files` | the text of each file, what is wrong with it and where, what it compiles to |
//! | `save` | files saved, copied and begun |
//! | `find` | lookup by id or older id, with suggestions |
//!
//! *Invariants*: a file that does not load is listed with all of its problems. The workflows that ship with Piton are
//! never shadowed. A routine is not a workflow: nothing lists or starts it. The same files give the same contents,
//! whatever the order in which the system lists a directory.

mod adopt;
mod compiled;
mod contents;
mod find;
mod routines;
mod save;
mod scan;
mod source_files;

pub use adopt::{Adopted, Adoption, LineChange, NotAdopted, plan_adoption};
pub use compiled::Library;
pub use contents::{
    FileProblem, LibraryContents, LibraryWorkflow, Routine, ShadowedFile, UnloadedFile,
};
pub use find::FoundWorkflow;
pub use piton_workflow::source::{Dialect, file_schema};
pub use routines::compile_beside;
pub use save::schema_text;
pub use scan::{PROJECT_WORKFLOWS, USER_WORKFLOWS, WorkflowSource, sources};
pub use source_files::SourceFiles;
