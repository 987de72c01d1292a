//! This machine's clock, timer and randomness, and the user that the process runs as.
#![expect(clippy::disallowed_methods, reason = "the adapter that the ban on clocks points to")]

use std::cell::RefCell;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use piton_core::port::{Clock, Entropy, Sleep, Timer, TimestampMs};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    /// Returns the time of day, or zero if the machine believes that it is before 1970.
    fn now_ms(&self) -> TimestampMs {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        TimestampMs(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns the time since the first call in this process, the same for every `SystemClock`.
    fn monotonic(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// True if file permissions do not stop this process.
pub fn runs_as_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The timer of the async runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemTimer;

impl Timer for SystemTimer {
    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// The kernel's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        if bytes.len() > ID_BYTES {
            ask_kernel(bytes);
        } else {
            DRAWN.with_borrow_mut(|drawn| drawn.fill(bytes));
        }
    }
}

/// Number of bytes that an id needs. Keys need more, and are never drawn ahead of time.
const ID_BYTES: usize = 16;

thread_local! {
    static DRAWN: RefCell<EntropyBuffer> = const { RefCell::new(EntropyBuffer { bytes: [0; 512], left: 0 }) };
}

/// Bytes drawn ahead for the next ids, because a plan needs many and each system call has its price.
struct EntropyBuffer {
    bytes: [u8; 512],
    /// Number of bytes, from the start, that are still unused.
    left: usize,
}

impl EntropyBuffer {
    // Taken from the end and never again: no byte is handed out twice.
    fn fill(&mut self, wanted: &mut [u8]) {
        if self.left < wanted.len() {
            ask_kernel(&mut self.bytes);
            self.left = self.bytes.len();
        }
        let rest = self.left - wanted.len();
        wanted.copy_from_slice(&self.bytes[rest..self.left]);
        self.left = rest;
    }
}

fn ask_kernel(bytes: &mut [u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        match getrandom(&mut *rest, GetRandomFlags::empty()) {
            Ok(filled) => rest = &mut rest[filled..],
            Err(Errno::INTR) => {}
            Err(error) => panic!("the kernel gives no random bytes: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_time_never_goes_back_and_is_one_for_all() {
        let first = SystemClock.monotonic();
        let second = SystemClock.monotonic();
        assert!(first <= second);
    }

    #[test]
    fn the_time_of_day_is_in_milliseconds() {
        // From 2025 to 2100: seconds would be below, microseconds above.
        let now = SystemClock.now_ms().get();
        assert!((1_735_689_600_000..4_102_444_800_000).contains(&now), "{now}");
    }

    #[test]
    fn no_two_ids_are_alike_whatever_was_drawn_ahead() {
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..200 {
            // Other lengths in between, so that the rest of the buffer has every length.
            SystemEntropy.fill(&mut vec![0; round % 17]);
            let mut id = [0; 16];
            SystemEntropy.fill(&mut id);
            assert!(seen.insert(id));
        }
    }

    #[test]
    fn every_byte_is_filled() {
        // A byte that is never written stays zero in all 64 tries; a random one does so with a chance of 2^-512.
        let mut seen = vec![0_u8; 1_000];
        for _ in 0..64 {
            let mut bytes = vec![0; seen.len()];
            SystemEntropy.fill(&mut bytes);
            seen.iter_mut().zip(bytes).for_each(|(all, byte)| *all |= byte);
        }
        assert!(seen.iter().all(|byte| *byte != 0));
    }
}
