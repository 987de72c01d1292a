//! `piton doctor`: looks whether everything that Piton needs is in order.
//!
//! | file | does |
//! |---|---|
//! | `checks` | looks at everything, and tells |
//! | `stored` | keys, tables, backpacks, context and Virtual Stores |
//! | `files` | what agents may touch, and which wall the kernel puts around that |
//! | `clients` | what each client is told to start |
//! | `probe` | starts that, and waits for it to shake hands |
//! | `finding` | what was found |

mod checks;
mod clients;
mod files;
mod finding;
mod probe;
mod stored;

pub(crate) use checks::run;
