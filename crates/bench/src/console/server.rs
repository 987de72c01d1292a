//! A console at work: the process that `piton up` starts beside itself, and a signed-in client.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::http_client::HttpClient;
use crate::error::{Error, Result};
use crate::measure::{cpu_of, float, resident_bytes};
use crate::process::{PipedProcess, sibling_program};

/// Pause between two looks at a process that should come to rest.
const REST_PAUSE: Duration = Duration::from_millis(50);

/// CPU time within such a pause that counts as rest: timers and the looking itself.
const REST_CPU_MAX: Duration = Duration::from_micros(500);

/// A running console. It ends when this is dropped.
pub(super) struct ConsoleServer {
    process: PipedProcess,
    data: PathBuf,
    /// Its address, such as `http://127.0.0.1:7470`.
    pub(super) url: String,
    pub(super) client: HttpClient,
}

impl ConsoleServer {
    /// Starts a console on a data directory, and enters it.
    pub(super) fn start(data: &Path) -> Result<Self> {
        let process =
            PipedProcess::start(piton(data)?.args(["console", "--beside", "--port", "0"]));
        let mut process = process?;
        let notice: Value = serde_json::from_str(&process.line()?)
            .map_err(Error::json("read where the console is"))?;
        let url = text(&notice["url"])?;
        let link = link(data)?;
        let key = link.split_once("/#").map(|(_, key)| key.to_owned());
        let key = key.ok_or_else(|| Error::Client("a link without a key".to_owned()))?;
        let authority = url.trim_start_matches("http://");
        let client = HttpClient::enter(authority, &key)?;
        Ok(Self { process, data: data.to_owned(), url, client })
    }

    /// Returns a link that lets a browser in.
    pub(super) fn link(&self) -> Result<String> {
        link(&self.data)
    }

    /// Waits until every run is in the index.
    pub(super) fn wait_until_caught_up(&mut self) -> Result<()> {
        while self.client.get("/runs?limit=1", None)?.json()?["isCaughtUp"] != true {
            std::thread::sleep(REST_PAUSE);
        }
        Ok(())
    }

    /// Waits until it has nothing to do.
    pub(super) fn wait_until_idle(&self) -> Result<()> {
        loop {
            let before = self.cpu()?;
            std::thread::sleep(REST_PAUSE);
            if self.cpu()?.saturating_sub(before) <= REST_CPU_MAX {
                return Ok(());
            }
        }
    }

    /// Returns the CPU time that it has spent.
    pub(super) fn cpu(&self) -> Result<Duration> {
        cpu_of(self.process.id())
    }

    /// Returns its resident memory.
    pub(super) fn megabytes(&self) -> Result<f64> {
        Ok(float(resident_bytes(self.process.id())?) / 1e6)
    }
}

impl Drop for ConsoleServer {
    /// Ends the console by closing its input.
    fn drop(&mut self) {
        let _ = self.process.finish();
    }
}

/// Returns the command line on a data directory, which is the home directory too, so that no configuration of this
/// machine takes part.
fn piton(data: &Path) -> Result<Command> {
    let mut command = Command::new(sibling_program("piton")?);
    command.env_clear().env("HOME", data).env("PITON_DATA_DIR", data).current_dir(data);
    Ok(command)
}

fn link(data: &Path) -> Result<String> {
    let output = piton(data)?.args(["console", "link", "--json"]).output();
    let output = output.map_err(Error::io("start a process"))?;
    let reply: Value = serde_json::from_slice(&output.stdout)
        .map_err(Error::json("read the link to the console"))?;
    text(&reply["link"])
}

fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| Error::Client("no text".to_owned()))
}
