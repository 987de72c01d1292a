//! `piton man`.
#![expect(clippy::disallowed_methods, reason = "writes the pages")]

use std::{fs, path::PathBuf};

use clap::{Args, CommandFactory as _};
use serde::Serialize;

use crate::{app::App, arguments::Arguments, exit::CommandEnding, failure::Failure, output};

#[derive(Args)]
pub(crate) struct Man {
    /// Write a page for each command into this directory
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
}

#[derive(Serialize)]
struct WrittenPages {
    directory: PathBuf,
}

impl Man {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let Some(directory) = self.to else {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut page);
            rendered.map_err(Failure::io("write the page"))?;
            output::bytes(&page)?;
            return Ok(CommandEnding::Done);
        };
        let told = || Failure::io(format!("write pages to {}", directory.display()));
        fs::create_dir_all(&directory).map_err(told())?;
        clap_mangen::generate_to(Arguments::command(), &directory).map_err(told())?;
        app.output.print(format_args!(
            "Wrote the pages to {}. Read one: man piton",
            app.display_path(&directory)
        ));
        app.output.reply("piton.man/1", &WrittenPages { directory })?;
        Ok(CommandEnding::Done)
    }
}
