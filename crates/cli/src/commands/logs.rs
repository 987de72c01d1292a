//! `piton logs`.

use clap::Args;
use serde::Serialize;

use crate::app::{App, Outcome};
use crate::arguments::MaybeRun;
use crate::bounds::LOG_LINES_SHOWN;
use crate::failure::Failure;
use crate::log::{self, LogRecord};
use crate::messages::ago;

#[derive(Args)]
pub(crate) struct Logs {
    #[command(flatten)]
    run: MaybeRun,
    /// The number of lines to show, the newest ones
    #[arg(long, value_name = "NUMBER", default_value_t = LOG_LINES_SHOWN)]
    lines: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownLogs {
    records: Vec<LogRecord>,
    left_out: usize,
}

impl Logs {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let settings = app.configuration()?.settings();
        // Without a run, the data directory is not opened: its logs can be read even if it cannot be.
        let directory = app.data_dir(&settings)?.join(log::DIRECTORY);
        let session = match &self.run.run {
            None => None,
            Some(reference) => Some(app.open()?.ids(reference)?.0.to_string()),
        };
        let mut records = log::read(&directory).map_err(Failure::io("read the logs"))?;
        records.retain(|record| session.is_none() || record.session == session);
        let left_out = records.len().saturating_sub(self.lines);
        let shown = ShownLogs { records: records.split_off(left_out), left_out };
        print(app, &shown);
        let level = settings.log_level();
        writeln!(app.output, "The log level is `{level}`. PITON_LOG=debug logs more.");
        app.output.finish("piton.logs/1", &shown)
    }
}

fn print(app: &App, shown: &ShownLogs) {
    let now = App::now();
    if shown.records.is_empty() && shown.left_out == 0 {
        app.output.print("Nothing was logged.");
    }
    if shown.left_out > 0 {
        writeln!(app.output, "{} earlier lines are left out.", shown.left_out);
    }
    for record in &shown.records {
        let LogRecord { level, command, event, tool, run, took_ms, .. } = record;
        let mut line = format!("{}  {level}  {command}: ", ago(now, record.time_ms));
        if let Some(tool) = tool {
            line = format!("{line}{tool} ");
        }
        line.push_str(event);
        if let Some(code) = record.code {
            line = format!("{line} ({code})");
        }
        if let (Some(_), Some(took)) = (tool, took_ms) {
            line = format!("{line}, {took} ms");
        }
        if let Some(left_out) = record.left_out {
            line = format!("{line}, after {left_out} more like it");
        }
        if let Some(run) = run {
            line = format!("{line}  {run}");
        }
        if let Some(session) = &record.session {
            line = format!("{line}  {session}");
        }
        app.output.print(line);
    }
}
