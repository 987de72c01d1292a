//! `piton explain`: the meaning of an error code, and the remedy.

use clap::Args;
use piton_core::{Code, Domain};
use piton_runtime::explain::{Explained, explain};
use serde::Serialize;

use crate::app::{App, Outcome};
use crate::complete;
use crate::markdown;

#[derive(Args)]
pub(crate) struct Explain {
    /// The code [default: list every code]
    #[arg(value_name = "CODE", add = complete::codes())]
    code: Option<String>,
}

#[derive(Serialize)]
struct Listed {
    codes: Vec<Explained>,
}

impl Explain {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let Some(code) = self.code else {
            list(app);
            let codes = Code::ALL.iter().map(|code| Explained::from(*code)).collect();
            return app.output.finish("piton.explain.list/1", &Listed { codes });
        };
        let explained = explain(&code)?;
        app.output.print(markdown::shown(explained.page.trim_end()));
        app.output.finish("piton.explain/1", &explained)
    }
}

fn list(app: &App) {
    for (place, domain) in Domain::ALL.iter().enumerate() {
        let gap = if place > 0 { "\n" } else { "" };
        app.output.print(format_args!("{gap}From {}:", domain.words()));
        for code in Code::ALL.iter().filter(|code| code.domain() == *domain) {
            app.output.print(format_args!("  {code}\n      {}", code.meaning()));
        }
    }
    app.output.advise("\nHow to resolve one: piton explain CODE");
}
