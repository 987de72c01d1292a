//! `piton doctor`: checks whether everything that Piton needs is in order.
//!
//! | file | does |
//! |---|---|
//! | `checks` | runs all checks and reports the findings |
//! | `stored` | keys, tables, backpacks, context and Virtual Stores |
//! | `files` | the files that agents may touch, and the kernel sandbox around them |
//! | `clients` | the server that each client is configured to start |
//! | `probe` | starts that server, and waits for its handshake |
//! | `finding` | the findings |

mod checks;
mod clients;
mod files;
mod finding;
mod probe;
mod stored;

pub(crate) use checks::run;
