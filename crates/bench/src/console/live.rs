//! A page beside an agent: the agent must not notice it, and the page must show what the agent does.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::browser::Browser;
use super::run_shape::{run_page, shape_path};
use super::server::ConsoleServer;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::mcp_server::McpServer;
use crate::measure::{Schedule, TimeSpent, percentile};
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::BenchRun;

/// Steps of the run before it is measured.
const STEPS: u64 = 200;

/// Number of advances in one turn: some reactions of the console fall into it.
const ADVANCES: u64 = 100;

const SCHEDULE: Schedule = Schedule { blocks: 6, pairs: 5, warm_up: 1 };
const TIME_RATIO_MAX: f64 = 1.10;
const CPU_RATIO_MAX: f64 = 1.05;

const APPENDS: u64 = 40;
const SCREEN_MS_MAX: f64 = 250.0;

/// Pause between two appends, so that each is shown by itself.
const APPEND_PAUSE: Duration = Duration::from_millis(400);

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let mut rows = beside_rows(bench_dir)?;
    rows.push(screen_row(bench_dir)?);
    Ok(rows)
}

/// An agent of its own data directory.
struct BenchAgent {
    server: McpServer,
    run: BenchRun,
}

impl BenchAgent {
    fn start(bench_dir: &BenchDir, name: &str) -> Result<(Self, std::path::PathBuf)> {
        let data = bench_dir.make(name)?;
        let run = BenchRun::prepared(&data, name, STEPS)?;
        bench_dir.sync()?;
        Ok((Self { server: McpServer::piton(&data, &[])?, run }, data))
    }

    /// Advances the run, and returns the time of the call.
    fn advance(&mut self) -> Result<Duration> {
        let (reply, time) = self.server.structured("continue_workflow", &self.run.arguments())?;
        self.run.take_body(reply)?;
        Ok(time)
    }

    /// Advances the run some times, and returns what that cost its server.
    fn turn(&mut self) -> Result<TimeSpent> {
        let id = self.server.id();
        TimeSpent::of(id, || (0..ADVANCES).map(|_| self.advance()).sum())
    }
}

/// Measures advances while a page follows the run, beside advances that nobody watches.
fn beside_rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|block| {
        let (mut watched, data) =
            BenchAgent::start(bench_dir, &format!("console-watched-{block}"))?;
        let (mut alone, _) = BenchAgent::start(bench_dir, &format!("console-alone-{block}"))?;
        let console = Arc::new(FollowedConsole::open(&data, &watched.run)?);
        let beside = Arc::clone(&console);
        let ours = move || {
            let spent = watched.turn();
            // What the console still has to do must not fall into the turn of the other side.
            beside.server.wait_until_idle()?;
            spent
        };
        Ok((ours, move || alone.turn()))
    })?;
    let row = |name, unit, samples: &_| {
        MeasureRow::timed_each(name, unit, "without a console", samples, ADVANCES)
    };
    Ok(vec![
        row(
            "advance while a page follows the run",
            Unit::Milliseconds,
            &samples.map(|turn| turn.time),
        )
        .judged(Bar::disk_ratio(TIME_RATIO_MAX)),
        row("  CPU of the agent's server", Unit::Microseconds, &samples.map(|turn| turn.cpu))
            .judged(Bar::ratio(CPU_RATIO_MAX)),
    ])
}

/// A console with a client that does what a page of the run does: it follows the stream of changes, and asks for the
/// shape after each.
struct FollowedConsole {
    server: ConsoleServer,
}

impl FollowedConsole {
    fn open(data: &std::path::Path, run: &BenchRun) -> Result<Self> {
        let mut server = ConsoleServer::start(data)?;
        server.wait_until_caught_up()?;
        let path = shape_path(run);
        let mut page = server.client.again()?;
        page.get(&path, None)?;
        let changes = page.changes()?;
        // Ends with the console, whose end closes the stream.
        thread::spawn(move || {
            let mut etag = None;
            for line in changes.lines() {
                let Ok(line) = line else { return };
                if line != "event: change" {
                    continue;
                }
                let Ok(reply) = page.get(&path, etag.as_deref()) else { return };
                etag = reply.etag;
            }
        });
        server.wait_until_idle()?;
        Ok(Self { server })
    }
}

/// Measures the time from a call of an agent to the screen of a person.
fn screen_row(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let (mut agent, data) = BenchAgent::start(bench_dir, "console-screen")?;
    let mut server = ConsoleServer::start(&data)?;
    server.wait_until_caught_up()?;
    let mut browser = Browser::enter(&server)?;
    browser.ask(&json!({ "watch": { "path": run_page(&agent.run) } }))?;
    // The root is a node as well.
    let mut nodes = STEPS + 1;
    let mut began = BTreeMap::new();
    for _ in 0..APPENDS {
        thread::sleep(APPEND_PAUSE);
        nodes += 1;
        began.insert(nodes, now_ms());
        agent.advance()?;
    }
    thread::sleep(2 * APPEND_PAUSE);
    let seen = browser.ask(&json!({ "seen": {} }))?;
    let mut times = Vec::new();
    for (nodes, began) in began {
        let shown = seen[&nodes.to_string()].as_f64();
        times.push(shown.ok_or_else(|| never_shown(nodes, &seen))? - began);
    }
    let name = "append to screen, from another process, p95";
    Ok(MeasureRow::unpaired(name, Unit::Milliseconds, &[percentile(&times, 95)])
        .judged(Bar::calibrated(SCREEN_MS_MAX)))
}

fn never_shown(nodes: u64, seen: &Value) -> Error {
    Error::Client(format!("the page never showed {nodes} nodes: {seen}"))
}

fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1e3
}
