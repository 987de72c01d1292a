//! File tools over MCP, beside the reference server on the same tree.
//!
//! Waking a process for a line costs CPU time as well: about a third of a short call where this was written, and it
//! depends on the machine and its load. `cat` does nothing else, so its CPU time is measured and subtracted on both
//! sides. What is compared is the work.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{in_process, trees};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::local_ports::one_worker;
use crate::mcp_server::McpServer;
use crate::measure::{Samples, Schedule, cpu_of, float, summary, thread_cpu, wall_time};
use crate::process::PipedProcess;
use crate::report::{Bar, MeasureRow, Unit};

/// A turn is many calls, since one call costs less than reading the CPU time.
const SCHEDULE: Schedule = Schedule { blocks: 6, pairs: 3, warm_up: 1 };
const CALLS: u32 = 100;
const DENIED_CALLS: u32 = 1_000;
const WALKS: u32 = 5;
/// Number of calls on both sides before anything counts. Node compiles hot code after about as many.
const WARM_CALLS: u32 = 1_000;
const WARM_WALKS: u32 = 10;
const WAKE_TURNS: u32 = 21;
const LATENCY: Schedule = Schedule { blocks: 8, pairs: 100, warm_up: 20 };
const SEARCHES: Schedule = Schedule { blocks: 6, pairs: 5, warm_up: 1 };
const STARTS: Schedule = Schedule { blocks: 6, pairs: 2, warm_up: 1 };

const CALL_RATIO_MAX: f64 = 1.0 / 5.0;
/// An edit in Piton is durable and recorded when it is answered; in the reference server it is neither.
const EDIT_RATIO_MAX: f64 = 1.0;
/// A client that keeps being denied costs no more than one that is allowed.
const DENIED_RATIO_MAX: f64 = 1.2;
const GLOB_RATIO_MAX: f64 = 1.0 / 20.0;
const READ_RATIO_MAX: f64 = 1.3;
const GREP_RATIO_MAX: f64 = 1.5;
const START_RATIO_MAX: f64 = 1.0 / 10.0;
const MEMORY_RATIO_MAX: f64 = 1.0 / 2.0;

/// The file that is listed, read and edited.
const FILE: &str = "module_07/part_007/file_07.rs";

/// A call, in the form that each of the two servers takes.
struct Same {
    name: &'static str,
    ours: (&'static str, Value),
    theirs: (&'static str, Value),
    calls: u32,
    warm: u32,
    ratio_max: f64,
}

// shows: WS-061
pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let tree = trees::make(bench_dir, "peer-tree")?;
    let data = bench_dir.make("peer-data")?;
    let (ours, theirs) = (piton(&tree, &data)?, McpServer::reference(&tree)?);
    let (ours, theirs) = (RefCell::new(ours), RefCell::new(theirs));
    let mut rows = Vec::new();
    for same in same(&tree) {
        rows.push(same.row(&ours, &theirs)?);
    }
    rows.push(denied(&ours)?);
    rows.push(durable_calls(bench_dir, &ours, &tree)?);
    // After the calls above, when both have grown to their working size.
    let memory = SCHEDULE.run(|_| {
        let ours = || Ok(float(ours.borrow().bytes()?) / 1e6);
        Ok((ours, || Ok(float(theirs.borrow().bytes()?) / 1e6)))
    })?;
    let name = "  memory after these calls";
    let row = MeasureRow::paired(name, Unit::Megabytes, "the reference server", &memory);
    rows.push(row.judged(Bar::ratio(MEMORY_RATIO_MAX)));
    rows.push(latency(&ours, &tree)?);
    rows.push(searches(&ours, &tree)?);
    rows.push(starts(&tree, &data)?);
    Ok(rows)
}

fn same(tree: &Path) -> [Same; 5] {
    let (ours, theirs) = (format!("/tree/{FILE}"), tree.join(FILE));
    let directory = theirs.parent().expect("a file is in a directory");
    let call = |name, ours, theirs| {
        let (calls, warm, ratio_max) = (CALLS, WARM_CALLS, CALL_RATIO_MAX);
        Same { name, ours, theirs, calls, warm, ratio_max }
    };
    [
        call(
            "CPU of `read`, 120 lines",
            ("read", json!({ "path": ours })),
            ("read_text_file", json!({ "path": theirs })),
        ),
        call(
            // Both report the size of each file.
            "CPU of `ls`, 50 files",
            ("ls", json!({ "path": "/tree/module_07/part_007" })),
            ("list_directory_with_sizes", json!({ "path": directory })),
        ),
        call(
            "CPU of `stat`",
            ("stat", json!({ "path": ours })),
            ("get_file_info", json!({ "path": theirs })),
        ),
        Same {
            ratio_max: EDIT_RATIO_MAX,
            ..call(
                "CPU of `edit`, one line of 120",
                ("edit", json!({ "path": ours })),
                ("edit_file", json!({ "path": theirs })),
            )
        },
        Same {
            name: "CPU of `glob` over 5,000 files",
            ours: ("glob", json!({ "pattern": "file_07.rs", "path": "/tree" })),
            theirs: ("search_files", json!({ "path": tree, "pattern": "**/file_07.rs" })),
            calls: WALKS,
            warm: WARM_WALKS,
            ratio_max: GLOB_RATIO_MAX,
        },
    ]
}

impl Same {
    fn row(&self, ours: &RefCell<McpServer>, theirs: &RefCell<McpServer>) -> Result<MeasureRow> {
        // Both sides are warmed up for each call by itself.
        spent(&mut ours.borrow_mut(), self.ours.0, &self.ours.1, self.warm)?;
        spent(&mut theirs.borrow_mut(), self.theirs.0, &self.theirs.1, self.warm)?;
        let wakes = wakes(self.calls)?;
        let work = |server: &RefCell<McpServer>, (tool, arguments): &(&'static str, Value)| {
            let spent = spent(&mut server.borrow_mut(), tool, arguments, self.calls)?;
            Ok(spent.saturating_sub(wakes))
        };
        let samples =
            SCHEDULE.run(|_| Ok((|| work(ours, &self.ours), || work(theirs, &self.theirs))))?;
        let baseline = "the reference server, waking aside";
        let row = cpu_row(self.name, baseline, &samples, self.calls);
        Ok(row.judged(Bar::ratio(self.ratio_max)))
    }
}

/// Starts `piton mcp`, with the tree as the workspace `/tree`.
fn piton(tree: &Path, data: &Path) -> Result<McpServer> {
    McpServer::piton(data, &["--workspace", &format!("/tree={}:rw", tree.display())])
}

/// Returns the CPU time of each call, from turns of this number of calls.
fn cpu_row(
    name: &'static str,
    baseline: &'static str,
    turns: &Samples<Duration>,
    calls: u32,
) -> MeasureRow {
    MeasureRow::timed_each(name, Unit::Microseconds, baseline, turns, calls.into())
}

/// Measures the CPU time that a server spends on some calls. Edits change a line back and forth.
fn spent(server: &mut McpServer, tool: &str, arguments: &Value, calls: u32) -> Result<Duration> {
    let before = server.cpu()?;
    for number in 0..calls {
        // Alternates, so that each edit finds the text that the last one left.
        let (old, new) =
            if number % 2 == 0 { ("value_7 =", "changed =") } else { ("changed =", "value_7 =") };
        let mut arguments = arguments.clone();
        match tool {
            "edit" => (arguments["old_string"], arguments["new_string"]) = (old.into(), new.into()),
            "edit_file" => arguments["edits"] = json!([{ "oldText": old, "newText": new }]),
            _ => {}
        }
        server.call(tool, &arguments)?;
    }
    Ok(server.cpu()?.saturating_sub(before))
}

/// Measures the CPU time that it costs to wake a process for this number of lines, each answered before the next.
fn wakes(lines: u32) -> Result<Duration> {
    let mut cat = PipedProcess::start(&mut Command::new("cat"))?;
    let mut turns = Vec::new();
    for _ in 0..WAKE_TURNS {
        let before = cpu_of(cat.id())?;
        for _ in 0..lines {
            cat.send("wake")?;
            cat.line()?;
        }
        turns.push(cpu_of(cat.id())?.saturating_sub(before).as_secs_f64());
    }
    Ok(Duration::from_secs_f64(summary(&turns).median))
}

/// Measures a denied call beside the same call where it is allowed.
fn denied(server: &RefCell<McpServer>) -> Result<MeasureRow> {
    let (outside, inside) = (json!({ "path": "/elsewhere/file" }), format!("/tree/{FILE}"));
    let samples = SCHEDULE.run(|_| {
        let denied = || {
            let mut server = server.borrow_mut();
            let before = server.cpu()?;
            for _ in 0..DENIED_CALLS {
                server.refused("stat", &outside)?;
            }
            Ok(server.cpu()?.saturating_sub(before))
        };
        let inside = json!({ "path": inside });
        Ok((denied, move || spent(&mut server.borrow_mut(), "stat", &inside, DENIED_CALLS)))
    })?;
    let row = cpu_row("CPU of a denied `stat`", "an allowed one", &samples, DENIED_CALLS);
    Ok(row.judged(Bar::ratio(DENIED_RATIO_MAX)))
}

/// Measures an edit beside the system calls that it cannot do without.
fn durable_calls(
    bench_dir: &BenchDir,
    server: &RefCell<McpServer>,
    tree: &Path,
) -> Result<MeasureRow> {
    let bare = Bare::new(bench_dir.make("bare-changes")?, &tree.join(FILE))?;
    let bare = RefCell::new(bare);
    let arguments = json!({ "path": format!("/tree/{FILE}") });
    let samples = SCHEDULE.run(|_| {
        let ours = || spent(&mut server.borrow_mut(), "edit", &arguments, CALLS);
        Ok((ours, || bare.borrow_mut().spent(CALLS)))
    })?;
    let name = "  the same `edit` beside what the disk costs";
    Ok(cpu_row(name, "the system calls alone", &samples, CALLS))
}

/// Measures a read beside the same read in this process and a call that asks no store, which stands for the transport:
/// above all workspaces there is nothing but their names.
fn latency(server: &RefCell<McpServer>, tree: &Path) -> Result<MeasureRow> {
    let arguments = json!({ "path": format!("/tree/{FILE}"), "limit": 20 });
    let (files, runtime) = (trees::agent(tree)?, one_worker()?);
    let samples = LATENCY.run(|_| {
        let over_mcp = || Ok(server.borrow_mut().call("read", &arguments)?.1);
        let here = || {
            let (reply, time) =
                wall_time(|| runtime.block_on(files.call("read", arguments.clone())));
            expect("failed reads", 0, u64::from(reply.is_error()))?;
            Ok(time + server.borrow_mut().call("ls", &json!({ "path": "/" }))?.1)
        };
        Ok((over_mcp, here))
    })?;
    let baseline = "the call in this process + one that asks no Store";
    let row = MeasureRow::timed("`read` over MCP", Unit::Microseconds, baseline, &samples);
    Ok(row.judged(Bar::ratio(READ_RATIO_MAX)))
}

fn searches(server: &RefCell<McpServer>, tree: &Path) -> Result<MeasureRow> {
    let arguments = in_process::arguments();
    let samples = SEARCHES.run(|_| {
        let ours = || {
            let (text, time) = server.borrow_mut().call("grep", &arguments)?;
            expect("lines that match", in_process::HITS, text.lines().count() as u64)?;
            Ok(time)
        };
        let theirs = || in_process::ripgrep(tree);
        Ok((ours, theirs))
    })?;
    let name = "`grep` over 5,000 files, over MCP";
    let row = MeasureRow::timed(name, Unit::Milliseconds, "ripgrep", &samples);
    Ok(row.judged(Bar::ratio(GREP_RATIO_MAX)))
}

fn starts(tree: &Path, data: &Path) -> Result<MeasureRow> {
    let listed = |start: &dyn Fn() -> Result<McpServer>| {
        let began = Instant::now();
        let tools = start()?.tools()?;
        expect("servers without tools", 0, u64::from(tools == 0))?;
        Ok(began.elapsed())
    };
    let ours = || listed(&|| piton(tree, data));
    let theirs = || listed(&|| McpServer::reference(tree));
    let samples = STARTS.run(|_| Ok((&ours, &theirs)))?;
    let name = "start to the list of tools";
    let row = MeasureRow::timed(name, Unit::Milliseconds, "the reference server", &samples);
    Ok(row.judged(Bar::ratio(START_RATIO_MAX)))
}

/// About as long as the record of an edit.
const INTENTION: [u8; 512] = [b'i'; 512];

/// A file that is replaced again and again by the system calls that a durable change cannot do without: writing its
/// intention ahead, then the new file and its name, each with a sync.
struct Bare {
    directory: PathBuf,
    intentions: File,
    content: Vec<u8>,
}

impl Bare {
    /// Creates a file with the same content as `like`, in a directory of its own.
    fn new(directory: PathBuf, like: &Path) -> Result<Self> {
        let content = fs::read(like).map_err(Error::io("read a file"))?;
        let intentions =
            OpenOptions::new().create(true).append(true).open(directory.join("intentions"));
        let intentions = intentions.map_err(Error::io("make a file"))?;
        Ok(Self { directory, intentions, content })
    }

    /// Measures the CPU time of some changes.
    fn spent(&mut self, changes: u32) -> Result<Duration> {
        let (done, time) = thread_cpu(|| (0..changes).try_for_each(|_| self.change()));
        done.map_err(Error::io("change a file"))?;
        Ok(time)
    }

    fn change(&mut self) -> io::Result<()> {
        // The intention is durable before the file changes.
        self.intentions.write_all(&INTENTION)?;
        self.intentions.sync_data()?;
        let (temp, target) = (self.directory.join("temp"), self.directory.join("target"));
        // A reader sees the old file or the whole new one, and the rename is durable once the directory is synced.
        let mut file = File::create_new(&temp)?;
        file.write_all(&self.content)?;
        file.sync_all()?;
        fs::rename(temp, target)?;
        File::open(&self.directory)?.sync_all()
    }
}
