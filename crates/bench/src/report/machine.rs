//! The machine that the figures are from.

use std::{fmt, fs, thread};

use serde::Serialize;

use crate::bench_dir::BenchDir;

/// Properties that determine the figures, as far as a program can see them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Machine {
    cores: usize,
    processor: String,
    kernel: String,
    file_system: String,
}

impl Machine {
    pub(super) fn detect(bench_dir: &BenchDir) -> Self {
        let unknown = || "unknown".to_owned();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease");
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            processor: model(&processors).unwrap_or_else(unknown),
            kernel: kernel.map_or_else(|_| unknown(), |text| text.trim().to_owned()),
            file_system: bench_dir.file_system.clone(),
        }
    }
}

fn model(processors: &str) -> Option<String> {
    let line = processors.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, processor, kernel, file_system } = self;
        write!(f, "{cores} cores, {processor} · Linux {kernel} · {file_system}")
    }
}
