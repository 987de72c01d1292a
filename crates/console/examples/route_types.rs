//! Prints the routes with the types of their requests and replies. `cargo xtask generate` makes the page's types of it.

use std::io::{self, Write as _};

fn main() -> io::Result<()> {
    writeln!(io::stdout(), "{}", piton_console::route_types::describe())
}
