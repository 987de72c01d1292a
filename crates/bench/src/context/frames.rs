//! Reading a node with a hundred frames, and putting one, beside a bare durable write.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use piton_context::Context;
use piton_context::agent::{AgentContext, Agents, ContextAgent, Role};
use piton_context::frame::PutFrame;
use piton_context::history::NodeRef;
use piton_context::read::View;
use piton_context::scan::Scanner;
use tokio::runtime::Runtime;

use super::child::open;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::local_ports::one_worker;
use crate::measure::{Schedule, wall_time};
use crate::report::{Bar, MeasureRow, Unit};

const FRAMES: u64 = 100;
const READS: usize = 201;
const PUTS: Schedule = Schedule { blocks: 8, pairs: 12, warm_up: 4 };

/// Approximate number of bytes that one commit of the table writes to its log.
const FLOOR_BYTES: usize = 24 * 1024;

struct Bench {
    runtime: Runtime,
    agent: AgentContext,
    node: NodeRef,
}

impl Bench {
    fn new(root: &Path) -> Result<Self> {
        let project = root.join("project");
        fs::create_dir_all(&project).map_err(Error::io("make a directory"))?;
        fs::write(project.join("file"), "content").map_err(Error::io("write a file"))?;
        let context: Context = open(&root.join("data"))?;
        let runtime = one_worker()?;
        let tree = Scanner::new(&project).scan(false)?.tree;
        runtime.block_on(context.record(&tree, false, None))?;
        let id: piton_context::word::AgentId =
            "writer".parse().map_err(piton_context::Error::from)?;
        let agents = Agents::new([ContextAgent { id: id.clone(), role: Role::Writer }]);
        let agent = AgentContext::new(context, &agents, &id)?;
        Ok(Self { runtime, agent, node: "file".parse()? })
    }

    fn put(&self, text: &str) -> Result<()> {
        let frame_type = "note".parse().map_err(piton_context::Error::from)?;
        let frame = PutFrame::new("file", frame_type, text);
        self.runtime.block_on(self.agent.put_frame(&frame))?;
        Ok(())
    }

    fn read(&self) -> Result<u64> {
        let seen = self.runtime.block_on(self.agent.read_context(&self.node, &View::default()))?;
        Ok(seen.frames.len() as u64)
    }
}

// shows: CT-091
pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    Ok(vec![reading(bench_dir)?, putting(bench_dir)?])
}

fn reading(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let bench = Bench::new(&bench_dir.make("reading")?)?;
    for number in 0..FRAMES {
        bench.put(&format!("frame {number} says something about the file"))?;
    }
    let mut times = Vec::new();
    for _ in 0..READS {
        let (frames, took) = wall_time(|| bench.read());
        expect("frames of the node", FRAMES, frames?)?;
        times.push(took.as_secs_f64() * 1e6);
    }
    let name = "a node with 100 frames, warm";
    Ok(MeasureRow::unpaired(name, Unit::Microseconds, &times).judged(Bar::calibrated(1_000.0)))
}

fn putting(bench_dir: &BenchDir) -> Result<MeasureRow> {
    let root = bench_dir.make("putting")?;
    let samples = PUTS.run(|block| {
        // Each block starts with a new table and a new file, so that neither grows over the whole schedule.
        let bench = Bench::new(&root.join(block.to_string()))?;
        let mut floor = floor(&root.join(format!("{block}.floor")))?;
        let bytes = vec![7; FLOOR_BYTES];
        let mut number = 0;
        let ours = move || {
            number += 1;
            let (outcome, took) = wall_time(|| bench.put(&format!("frame {number}")));
            outcome.map(|()| took)
        };
        let theirs = move || {
            // A bare write of about the same size shows what the disk itself takes.
            let (outcome, took) =
                wall_time(|| floor.write_all(&bytes).and_then(|()| floor.sync_data()));
            outcome.map(|()| took).map_err(Error::io("write durably"))
        };
        Ok((ours, theirs))
    })?;
    let row = MeasureRow::timed("put a frame", Unit::Microseconds, "write and fdatasync", &samples);
    Ok(row.judged(Bar::disk_ratio(2.0)))
}

fn floor(path: &Path) -> Result<File> {
    OpenOptions::new().create(true).append(true).open(path).map_err(Error::io("make a file"))
}
