//! `piton up`.

use clap::Args;

use crate::{app::App, exit::Ending, failure::Failure};

#[derive(Args)]
pub(crate) struct Up {}

impl Up {
    pub(super) fn run(self, _: &App) -> Result<Ending, Failure> {
        Err(Failure::refused("The HTTP server is not built in.", "Use `piton mcp`."))
    }
}
