//! The tree that is read and searched, and an agent that sees it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_store::local::SystemEntropy;
use piton_workspaces::physical::{PhysicalOptions, PhysicalStore};
use piton_workspaces::{Definition, Files, Workspaces};

use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};

const DIRECTORIES: usize = 100;
const FILES: usize = 50;
const LINES: usize = 120;

/// Number of files in the tree.
pub(super) const ALL: u64 = (DIRECTORIES * FILES) as u64;

/// Generates a tree of 5,000 files of source code.
pub(super) fn make(bench_dir: &BenchDir, name: &str) -> Result<PathBuf> {
    let root = bench_dir.make(name)?;
    for directory in 0..DIRECTORIES {
        let path = root.join(format!("module_{:02}/part_{directory:03}", directory % 10));
        fs::create_dir_all(&path).map_err(Error::io("make a directory"))?;
        for file in 0..FILES {
            let mut text = String::new();
            for line in 0..LINES {
                let call = format!("compute({directory}, {file}, {line})");
                let _ = writeln!(text, "    let value_{line} = {call};");
            }
            // One file in fifty has the line that the search looks for.
            let needle = if file == 0 { "// the needle in the haystack\n" } else { "" };
            fs::write(path.join(format!("file_{file:02}.rs")), text + needle)
                .map_err(Error::io("write a file"))?;
        }
    }
    bench_dir.sync()?;
    Ok(root)
}

/// Creates an agent that may read the tree as `/tree`.
pub(super) fn agent(root: &Path) -> Result<Files> {
    let store = PhysicalStore::open(root, PhysicalOptions::default(), Arc::new(SystemEntropy));
    let store = store.map_err(|fault| Error::Refused(format!("the tree {fault}")))?;
    let workspaces = Workspaces::new(vec![Definition {
        prefix: "/tree".into(),
        scope: "read-only".into(),
        purpose: String::new(),
        deny: Vec::new(),
        writable: Vec::new(),
        reserved: Vec::new(),
        store: Ok(Arc::new(store)),
    }]);
    let workspaces = workspaces.map_err(|error| Error::Refused(error.to_string()))?;
    Ok(Files::new(Arc::new(workspaces)))
}
