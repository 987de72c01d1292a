//! Tests that grow with their budget, and reports of what they did.
//!
//! `PITON_LONG=1` asks for the full size; `PITON_LONG_REPORT` names a file that gets one line of JSON for each such
//! test.
#![expect(clippy::disallowed_methods, reason = "a test asks for its size, and reports what it did")]

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::{env, fmt};

use serde_json::json;

/// One run of such a test.
#[derive(Debug)]
pub struct LongRun {
    name: &'static str,
    seed: u64,
    started: Instant,
}

impl LongRun {
    /// Starts a run with a new seed, or with the one given by `PITON_SEED`. Print it, so that a failure can be
    /// repeated.
    pub fn start(name: &'static str) -> Self {
        let seed = match env::var("PITON_SEED") {
            Ok(seed) => seed.parse().unwrap(),
            Err(_) => {
                u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos())
            }
        };
        Self { name, seed, started: Instant::now() }
    }

    /// Returns the seed of the run's randomness.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the normal size of something, or its full size if that was asked for.
    pub fn size(normal: u64, full: u64) -> u64 {
        if env::var("PITON_LONG").is_ok_and(|value| value == "1") { full } else { normal }
    }

    /// Reports what the run did.
    pub fn report(self, counts: &[(&str, u64)]) {
        let Some(path) = env::var_os("PITON_LONG_REPORT") else { return };
        let line = json!({
            "name": self.name,
            "seed": self.seed,
            "counts": counts.iter().copied().collect::<BTreeMap<&str, u64>>(),
            "durationMs": u64::try_from(self.started.elapsed().as_millis()).unwrap(),
        });
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        // One write, so that lines of tests in parallel processes do not mix.
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

impl fmt::Display for LongRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: PITON_SEED={}", self.name, self.seed)
    }
}
