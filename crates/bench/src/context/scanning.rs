//! Scans beside git on three trees; one changed file; a lookup in a new process; memory.
//!
//! Both sides are whole processes, and the page cache is warm for both.
// shows: CT-003, CT-090, CT-092

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::child::{ChildOutput, elsewhere};
use super::trees;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Schedule, float, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const FIRST: Schedule = Schedule { blocks: 6, pairs: 1, warm_up: 0 };
const AGAIN: Schedule = Schedule { blocks: 6, pairs: 5, warm_up: 1 };
const PACKAGE_FILES: u64 = 17_000;
const GENERATED_FILES: u64 = 50_000;
const MANY_FILES: u64 = 100_000;
const LARGE_BYTES: u64 = 4 * 1024 * 1024 * 1024;
const LOOKUPS: usize = 21;

/// A tree, with the names of its rows.
struct Bench {
    project: PathBuf,
    data: PathBuf,
    files: u64,
    names: [&'static str; 2],
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let mut rows = Vec::new();
    let own = bench_dir.make("own")?;
    let files = trees::copy_project(&own)?;
    let names = ["first scan, this project", "unchanged rescan, this project"];
    rows.extend(beside_git(bench_dir, own, files, names)?.1);
    let packages = bench_dir.make("packages")?;
    let files = trees::copy_packages(&packages, PACKAGE_FILES)?;
    let names = ["first scan, 17,000 files of packages", "unchanged rescan, packages"];
    rows.extend(beside_git(bench_dir, packages, files, names)?.1);
    let generated = bench_dir.make("generated")?;
    trees::generate(&generated, GENERATED_FILES)?;
    let names = ["first scan, 50,000 files", "unchanged rescan, 50,000 files"];
    let (bench, more) = beside_git(bench_dir, generated, GENERATED_FILES, names)?;
    rows.extend(more);
    rows.push(bench.one_changed()?);
    rows.push(bench.lookup()?);
    rows.push(memory(bench_dir)?);
    rows.push(large_file(bench_dir)?);
    Ok(rows)
}

fn beside_git(
    bench_dir: &BenchDir,
    project: PathBuf,
    files: u64,
    names: [&'static str; 2],
) -> Result<(Bench, Vec<MeasureRow>)> {
    // Beside the project and not in it, so that it is not scanned.
    let data = project.with_extension("data");
    let bench = Bench { project, data, files, names };
    bench_dir.sync()?;
    let first = bench.first()?;
    let again = bench.again()?;
    Ok((bench, vec![first, again]))
}

fn milliseconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let (outcome, took) = wall_time(work);
    outcome.map(|()| took.as_secs_f64() * 1e3)
}

fn remove(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).map_err(Error::io("remove a directory"))?;
    }
    Ok(())
}

impl Bench {
    fn scan(&self) -> Result<()> {
        let ChildOutput { files, .. } = elsewhere(&self.project, &self.data, None)?;
        // Ignore rules inside foreign packages may exclude some of their files, so only the generated tree is checked.
        if self.files == GENERATED_FILES {
            expect("files of the tree", self.files, files)
        } else {
            Ok(())
        }
    }

    fn first(&self) -> Result<MeasureRow> {
        let samples = FIRST.run(|_| {
            // Both sides start from nothing; the removal itself is not part of the time.
            let ours = || {
                remove(&self.data)?;
                milliseconds(|| self.scan())
            };
            let theirs = || {
                begin_repository(&self.project)?;
                milliseconds(|| write_tree(&self.project))
            };
            Ok((ours, theirs))
        })?;
        let baseline = "git add, git write-tree";
        let row = MeasureRow::paired(self.names[0], Unit::Milliseconds, baseline, &samples);
        Ok(row.judged(Bar::ratio(0.5)))
    }

    fn again(&self) -> Result<MeasureRow> {
        let samples = AGAIN.run(|_| {
            let ours = || milliseconds(|| self.scan());
            let theirs = || milliseconds(|| git(&self.project, &["status", "--porcelain"]));
            Ok((ours, theirs))
        })?;
        let row = MeasureRow::paired(self.names[1], Unit::Milliseconds, "git status", &samples);
        Ok(row.judged(Bar::ratio(1.0)))
    }

    fn one_changed(&self) -> Result<MeasureRow> {
        let samples = AGAIN.run(|block| {
            // Never the same content twice, or the file would not have changed.
            let mut number = block * 1_000;
            let change = move || {
                number += 1;
                let file = self.project.join("d7/s7/f7");
                fs::write(file, format!("changed {number}")).map_err(Error::io("write a file"))?;
                milliseconds(|| self.scan())
            };
            // The previous scan saw a file that had just been written; another scan settles it.
            let unchanged = || {
                self.scan()?;
                milliseconds(|| self.scan())
            };
            Ok((change, unchanged))
        })?;
        let name = "rescan after one change in 50,000";
        let row = MeasureRow::paired(name, Unit::Milliseconds, "unchanged rescan", &samples);
        Ok(row.judged(Bar::ratio(1.2)))
    }

    fn lookup(&self) -> Result<MeasureRow> {
        let look =
            || milliseconds(|| elsewhere(&self.project, &self.data, Some("d7/s7/f7")).map(drop));
        let times = (0..LOOKUPS).map(|_| look()).collect::<Result<Vec<f64>>>()?;
        let name = "a path of 50,000 in a new process";
        Ok(MeasureRow::unpaired(name, Unit::Milliseconds, &times).judged(Bar::calibrated(15.0)))
    }
}

fn memory(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let project = bench_dir.make("many")?;
    trees::generate(&project, MANY_FILES)?;
    let data = project.with_extension("data");
    let mut peaks = Vec::new();
    for _ in 0..3 {
        remove(&data)?;
        peaks.push(float(elsewhere(&project, &data, None)?.peak_bytes) / 1e6);
    }
    let name = "peak memory of a first scan, 100,000 files";
    Ok(MeasureRow::unpaired(name, Unit::Megabytes, &peaks).judged(Bar::promise(200.0)))
}

fn large_file(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let project = bench_dir.make("large")?;
    let file = fs::File::create(project.join("file")).map_err(Error::io("make a file"))?;
    // A sparse file has the size but takes no room.
    file.set_len(LARGE_BYTES).map_err(Error::io("make a file"))?;
    let peak = float(elsewhere(&project, &project.with_extension("data"), None)?.peak_bytes) / 1e6;
    let name = "peak memory of hashing a file of 4 GiB";
    Ok(MeasureRow::unpaired(name, Unit::Megabytes, &[peak]).judged(Bar::promise(100.0)))
}

/// Runs git in `root`, isolated from this machine's configuration.
fn git(root: &Path, arguments: &[&str]) -> Result<()> {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", "/nonexistent")
        .stdout(Stdio::null())
        .status()
        .map_err(Error::io("start git"))?;
    if status.success() { Ok(()) } else { Err(Error::Child(format!("git {arguments:?}"))) }
}

/// Creates an empty repository in `root`, in place of any that exists.
fn begin_repository(root: &Path) -> Result<()> {
    remove(&root.join(".git"))?;
    git(root, &["init", "-q"])
}

/// Adds everything and writes the tree.
fn write_tree(root: &Path) -> Result<()> {
    git(root, &["add", "-A"])?;
    git(root, &["write-tree"])
}
