//! A process that does one thing with a project directory, as the command line would.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use piton_context::history::NodeRef;
use piton_context::scan::Scanner;
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_store::local::{LocalTable, RealDisk, SystemClock};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::local_ports::{LocalPorts, one_worker};
use crate::measure::peak_resident_bytes;
use crate::process;

/// Output of such a process.
#[derive(Serialize, Deserialize)]
pub(super) struct ChildOutput {
    pub(super) peak_bytes: u64,
    pub(super) files: u64,
}

/// Opens a context on this machine's disk.
pub(super) fn open(data: &Path) -> Result<Context> {
    fs::create_dir_all(data).map_err(Error::io("make a directory"))?;
    let local = LocalPorts::open(Arc::new(RealDisk), data)?;
    let name = "context".parse().expect("it is a name");
    let ports = ContextPorts {
        table: Arc::new(LocalTable::open(&local.dir, &name)?),
        blobs: Arc::new(local.blobs),
        leases: Arc::new(local.leases),
        clock: Arc::new(SystemClock),
        stamps: None,
    };
    Ok(Context::new(ports, ProjectLocation::new("/bench")))
}

/// Scans or looks up in a new process.
pub(super) fn elsewhere(project: &Path, data: &Path, path: Option<&str>) -> Result<ChildOutput> {
    let mut arguments: Vec<&OsStr> = vec!["context-here".as_ref(), project.as_ref(), data.as_ref()];
    arguments.extend(path.map(OsStr::new));
    process::elsewhere(&arguments)
}

/// Scans and records, or looks up a path, in this process.
pub(crate) fn here(project: &Path, data: &Path, path: Option<&str>) -> Result<ExitCode> {
    let context = open(data)?;
    let runtime = one_worker()?;
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
