//! `piton doctor`: checks that everything Piton needs is in order.
//!
//! | file | does |
//! |---|---|
//! | `checks` | runs all checks: configuration, sessions, workflows, workspaces and their sandbox |
//! | `stored` | keys, tables, backpacks, context and Virtual Stores |
//! | `clients` | the server that each client is configured to start |
//! | `probe` | starts that server, and waits for its handshake |
//! | `finding` | the findings, and their presentation |

mod checks;
mod clients;
mod finding;
mod probe;
mod stored;

pub(crate) use checks::run;
pub(crate) use clients::started;
pub(crate) use finding::Health;
