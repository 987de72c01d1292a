//! `piton workflow schema`.

use clap::{Args, ValueEnum};
use piton_runtime::library::{Dialect, file_schema, schema_text};

use crate::app::{App, Outcome};
use crate::exit::CommandEnding;
use crate::output;

#[derive(Args)]
pub(crate) struct SchemaCommand {
    /// The form of the files: strict for new ones, classic for files with conditions and variables
    #[arg(long, value_enum, default_value_t = SchemaDialect::Strict)]
    dialect: SchemaDialect,
}

/// The dialects by the names that people know.
#[derive(Clone, Copy, ValueEnum)]
enum SchemaDialect {
    Strict,
    Classic,
}

impl SchemaCommand {
    pub(super) fn run(self, app: &App) -> Outcome {
        let dialect = match self.dialect {
            SchemaDialect::Strict => Dialect::Strict,
            SchemaDialect::Classic => Dialect::Classic,
        };
        if app.output.is_json() {
            app.output.reply("piton.workflow.schema/1", &file_schema(dialect))?;
        } else {
            output::bytes(schema_text(dialect).as_bytes())?;
        }
        Ok(CommandEnding::Done)
    }
}
