//! Pages in a browser: what is sent, what is painted, and what a person waits for.

use serde_json::{Value, json};

use super::browser::Browser;
use super::run_shape::{STEPS, run_page};
use super::runs::{RUNS, prepared};
use super::server::ConsoleServer;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::Schedule;
use crate::report::{Bar, MeasureRow, Unit};
use crate::workflow::BenchRun;

/// Bytes of script and style of the first page, and of the editor, compressed.
const FIRST_PAGE_BYTES_MAX: f64 = 60_000.0;
const EDITOR_BYTES_MAX: f64 = 130_000.0;

const PAINT_MS_MAX: f64 = 150.0;
const RUN_MS_MAX: f64 = 400.0;
const FRAME_MS_MAX: f64 = 20.0;
const HEAP_MEGABYTES_MAX: f64 = 40.0;
const FIRST_ROWS_MS_MAX: f64 = 100.0;
const JUMP_MS_MAX: f64 = 50.0;
const QUERY_MS_MAX: f64 = 100.0;

const PAINTS: Schedule = Schedule { blocks: 6, pairs: 3, warm_up: 1 };
const TRIES: usize = 9;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let mut rows = long_run(bench_dir)?;
    rows.extend(many_runs(bench_dir)?);
    Ok(rows)
}

/// Measures the first page, and the page of a run of 10,000 steps.
fn long_run(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = bench_dir.make("console-page")?;
    let run = BenchRun::prepared_long(&data, "console-page", STEPS)?;
    bench_dir.sync()?;
    let mut server = ConsoleServer::start(&data)?;
    server.wait_until_caught_up()?;
    let browser = std::cell::RefCell::new(Browser::enter(&server)?);
    let ask = |what: Value| browser.borrow_mut().ask(&what);
    let size = |names: Value| number(&ask(json!({ "sizes": { "names": names } }))?);
    let first_page = size(json!(["console.js", "console.css"]))?;
    let editor = size(json!(["editor.js"]))?;
    let paints = PAINTS.run(|_| {
        let ours = || {
            number(&ask(json!({ "open": { "path": "/", "ready": "main h1, main h2" } }))?["paint"])
        };
        let bare = || number(&ask(json!({ "bare": {} }))?["paint"]);
        Ok((ours, bare))
    })?;
    let path = run_page(&run);
    let usable = tries(|| {
        let open = json!({ "open": { "path": path, "ready": "button.row" } });
        number(&ask(open)?["usable"])
    })?;
    let timeline = ask(
        json!({ "scroll": { "path": path, "area": "[aria-label=Timeline]", "across": false } }),
    )?;
    let graph = format!("{path}?view=graph");
    let graph = ask(json!({ "scroll": { "path": graph, "area": ".graph", "across": true } }))?;
    let heap = number(&timeline["heap"])?.max(number(&graph["heap"])?) / 1e6;
    let ms = |name, values: &[f64]| MeasureRow::unpaired(name, Unit::Milliseconds, values);
    let bytes = |name, value| MeasureRow::unpaired(name, Unit::Bytes, &[value]);
    let against_bare = "a bare page of as many bytes";
    Ok(vec![
        bytes("first page, script and style compressed", first_page)
            .judged(Bar::promise(FIRST_PAGE_BYTES_MAX)),
        bytes("editor, compressed", editor).judged(Bar::promise(EDITOR_BYTES_MAX)),
        MeasureRow::paired("first contentful paint", Unit::Milliseconds, against_bare, &paints)
            .judged(Bar::calibrated(PAINT_MS_MAX)),
        ms("run of 10,000 steps, until it can be used", &usable)
            .judged(Bar::calibrated(RUN_MS_MAX)),
        ms("  scrolling its timeline, frame p95", &[p95(&timeline["frames"])?])
            .judged(Bar::calibrated(FRAME_MS_MAX)),
        ms("    CPU of a frame", &[number(&timeline["cpu"])?]),
        ms("  scrolling its graph, frame p95", &[p95(&graph["frames"])?])
            .judged(Bar::calibrated(FRAME_MS_MAX)),
        ms("    CPU of a frame", &[number(&graph["cpu"])?]),
        MeasureRow::unpaired("  heap of such a page", Unit::Megabytes, &[heap])
            .judged(Bar::promise(HEAP_MEGABYTES_MAX)),
    ])
}

/// Measures the list of 100,000 runs.
fn many_runs(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let data = prepared(bench_dir, RUNS)?;
    let mut server = ConsoleServer::start(&data)?;
    server.wait_until_caught_up()?;
    server.wait_until_idle()?;
    let mut browser = Browser::enter(&server)?;
    let first = tries(|| number(&browser.ask(&json!({ "firstRows": {} }))?))?;
    let jump = tries(|| number(&browser.ask(&json!({ "jump": { "row": RUNS / 2 } }))?))?;
    let query = json!({ "query": { "line": "branch:topic/7", "total": "10,000 runs" } });
    let query = tries(|| number(&browser.ask(&query)?))?;
    let row = |name, values: &[f64]| MeasureRow::unpaired(name, Unit::Milliseconds, values);
    Ok(vec![
        row("100,000 runs, first rows on the screen", &first)
            .judged(Bar::calibrated(FIRST_ROWS_MS_MAX)),
        row("  jump into the middle", &jump).judged(Bar::calibrated(JUMP_MS_MAX)),
        row("  a query", &query).judged(Bar::calibrated(QUERY_MS_MAX)),
    ])
}

fn tries(mut once: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
    // The first one warms the caches of browser and server.
    once()?;
    (0..TRIES).map(|_| once()).collect()
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| Error::Client(format!("no number: {value}")))
}

/// Returns the time that 95 % of frames do not exceed.
fn p95(frames: &Value) -> Result<f64> {
    let frames = frames.as_array().ok_or_else(|| Error::Client("no frames".to_owned()))?;
    let frames = frames.iter().map(number).collect::<Result<Vec<_>>>()?;
    Ok(crate::measure::percentile(&frames, 95))
}
