//! Wall time and CPU time.
//!
//! CPU time is the better measure of work on a shared machine. A durable write mostly waits, and only wall time shows
//! that.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Runs `work`, and returns its result and the time that passed.
pub(crate) fn wall_time<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Runs `work`, and returns its result and the CPU time of all threads of this process.
pub(crate) fn process_cpu<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    on(ClockId::ProcessCPUTime, work)
}

/// Runs `work`, and returns its result and the CPU time of this thread.
pub(crate) fn thread_cpu<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    on(ClockId::ThreadCPUTime, work)
}

fn on<R>(clock: ClockId, work: impl FnOnce() -> R) -> (R, Duration) {
    let start = spent(clock);
    let result = work();
    (result, spent(clock).saturating_sub(start))
}

fn spent(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).expect("CPU time starts at zero and only grows")
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    fn busy() -> u64 {
        (0..200_000_u64).fold(1, |sum, number| black_box(sum ^ number.wrapping_mul(sum)))
    }

    #[test]
    fn work_costs_cpu_time_and_sleeping_does_not() {
        assert!(thread_cpu(busy).1 > Duration::ZERO);
        assert!(process_cpu(busy).1 > Duration::ZERO);
        let pause = Duration::from_millis(20);
        let ((), cpu) = thread_cpu(|| std::thread::sleep(pause));
        let ((), passed) = wall_time(|| std::thread::sleep(pause));
        assert!(cpu < pause && passed >= pause, "{cpu:?} {passed:?}");
    }
}
