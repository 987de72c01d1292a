//! A process that does one thing with a project directory, as the command line would.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::{env, fs};

use piton_context::history::NodeRef;
use piton_context::scan::Scanner;
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_core::port::NoTrace;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, LocalTable, SystemClock};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Error, Result};
use crate::measure::peak_resident_bytes;

/// Output of such a process.
#[derive(Serialize, Deserialize)]
pub(super) struct ChildOutput {
    pub(super) peak_bytes: u64,
    pub(super) files: u64,
}

/// Opens a context on this machine's disk.
pub(super) fn open(data: &Path) -> Result<Context> {
    fs::create_dir_all(data).map_err(Error::io("make a directory"))?;
    let dir = DataDir::open(data)?;
    let clock = Arc::new(SystemClock);
    let name = "context".parse().expect("it is a name");
    let ports = ContextPorts {
        table: Arc::new(LocalTable::open(&dir, &name)?),
        blobs: Arc::new(LocalBlobs::new(dir.clone())),
        leases: Arc::new(LocalLeases::new(dir, clock.clone(), Arc::new(NoTrace))),
        clock,
        stamps: None,
    };
    Ok(Context::new(ports, ProjectLocation::new("/bench")))
}

pub(super) fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).build().map_err(Error::io("start a runtime"))
}

/// Scans or looks up in a new process.
pub(super) fn elsewhere(project: &Path, data: &Path, path: Option<&str>) -> Result<ChildOutput> {
    let program = env::current_exe().map_err(Error::io("find this program"))?;
    let mut command = Command::new(program);
    command.arg("context-here").arg(project).arg(data).args(path);
    let output = command.output().map_err(Error::io("start a process"))?;
    if !output.status.success() {
        return Err(Error::Child(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(Error::json("read what a process says"))
}

/// Scans and records, or looks up a path, in this process.
pub(crate) fn here(project: &Path, data: &Path, path: Option<&str>) -> Result<ExitCode> {
    let context = open(data)?;
    let runtime = runtime()?;
    let files = if let Some(path) = path {
        runtime.block_on(async {
            let asked: NodeRef = path.parse()?;
            let root = context.current().await?.root;
            context.node(root, &asked).await?;
            Ok::<u64, piton_context::Error>(1)
        })?
    } else {
        let found = Scanner::new(project).with_stamps(data.join("stamps")).scan(false)?;
        runtime.block_on(context.record(&found.tree, found.report.is_partial(), None))?;
        found.tree.totals().files
    };
    let said = ChildOutput { peak_bytes: peak_resident_bytes()?, files };
    println!("{}", serde_json::to_string(&said).expect("it has numbers only"));
    Ok(ExitCode::SUCCESS)
}
