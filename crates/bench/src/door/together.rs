//! Concurrent packs of one client, beside the same packs one after the other. Concurrent ones can share the turn to
//! write and the syncs of the disk, so they must cost little more CPU and take far less time.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::client::is_there;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::{Schedule, cpu_of, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

/// Number of calls in one turn.
const CALLS: u32 = 256;

/// Number of calls in flight at a time.
const TOGETHER: u64 = 64;

const CPU_RATIO_MAX: f64 = 1.2;
const TIME_RATIO_MAX: f64 = 0.5;

const SCHEDULE: Schedule = Schedule { blocks: 6, pairs: 4, warm_up: 1 };

/// An agent at the other end of a pipe, which writes and reads lines and nothing else.
struct PipeAgent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

/// Cost of a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Took {
    time: Duration,
    cpu: Duration,
}

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let samples = SCHEDULE.run(|block| {
        let mut together = PipeAgent::start(&bench_dir.make(&format!("door-together-{block}"))?)?;
        let mut in_turn = PipeAgent::start(&bench_dir.make(&format!("door-in-turn-{block}"))?)?;
        Ok((move || together.packs(TOGETHER), move || in_turn.packs(1)))
    })?;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(CALLS);
    let (times, cpu) = (samples.map(|took| each(took.time)), samples.map(|took| each(took.cpu)));
    Ok(vec![
        MeasureRow::paired(
            "a pack, 64 under way",
            Unit::Microseconds,
            "one after the other",
            &times,
        )
        .judged(Bar::disk_ratio(TIME_RATIO_MAX)),
        MeasureRow::paired("  CPU of the server", Unit::Microseconds, "one after the other", &cpu)
            .judged(Bar::ratio(CPU_RATIO_MAX)),
    ])
}

impl PipeAgent {
    fn start(data: &Path) -> Result<Self> {
        let program = env::current_exe().map_err(Error::io("find this program"))?;
        let built = program.parent().expect("a program is in a directory");
        let mut child = Command::new(is_there(built.join("piton"))?)
            .args(["mcp", "--backpack", "together"])
            .current_dir(data)
            .env("HOME", data)
            .env("PITON_DATA_DIR", data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Error::io("start the server"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        let mut agent = Self { child, input, output, last_id: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" } });
        agent.ask("initialize", &hello)?;
        agent.reply()?;
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(agent)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().expect("it is open until the agent is dropped");
        writeln!(input, "{message}").map_err(Error::io("call the server"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    fn reply(&mut self) -> Result<()> {
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).map_err(Error::io("hear from the server"))?;
            let reply: Value =
                serde_json::from_str(&line).map_err(Error::json("read what the server says"))?;
            // Notifications have no id, and are not counted as replies.
            if reply.get("id").is_none() {
                continue;
            }
            let failed = reply.get("error").is_some() || reply["result"]["isError"] == true;
            return if failed { Err(Error::Client(line)) } else { Ok(()) };
        }
    }

    fn packs(&mut self, together: u64) -> Result<Took> {
        let before = cpu_of(self.child.id())?;
        let (outcome, time) = wall_time(|| {
            // A sliding window: from the moment that it is full, each reply makes room for the next call. The last
            // rounds only collect replies.
            for number in 0..u64::from(CALLS) + together {
                if number >= together {
                    self.reply()?;
                }
                if number < u64::from(CALLS) {
                    let value = json!({ "key": format!("k{number}"), "value": number });
                    self.ask("tools/call", &json!({ "name": "pack", "arguments": value }))?;
                }
            }
            Ok::<(), Error>(())
        });
        outcome?;
        Ok(Took { time, cpu: cpu_of(self.child.id())?.saturating_sub(before) })
    }
}

impl Drop for PipeAgent {
    /// Ends the server by closing its input.
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
