//! A few threads that run the independent syncs of one append at the same time.
//!
//! A caller hands out jobs only to threads that are idle at that moment, and runs the others itself: it can never wait
//! for a thread that waits for it.
//!
//! Invariants: there is a result for every job. A job that panics does so again in the caller, and the thread that ran
//! it keeps running.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;

use crate::bounds::SYNC_THREADS;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct PoolInner {
    state: Mutex<PoolState>,
    wake: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: usize,
    jobs: VecDeque<Job>,
}

impl PoolInner {
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the job to an idle thread, or returns it.
    fn offer(&self, job: Job) -> Result<(), Job> {
        let mut state = self.state();
        // Every queued job has an idle thread that is about to take it. More jobs than that would have to wait.
        if state.idle <= state.jobs.len() {
            return Err(job);
        }
        state.jobs.push_back(job);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    fn serve(&self) {
        let mut state = self.state();
        loop {
            state.idle += 1;
            state = self
                .wake
                .wait_while(state, |state| state.jobs.is_empty())
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            let job = state.jobs.pop_front();
            // The lock is not held while the job runs: it waits for the disk.
            drop(state);
            if let Some(job) = job {
                job();
            }
            state = self.state();
        }
    }
}

fn shared() -> &'static Arc<PoolInner> {
    static SHARED: OnceLock<Arc<PoolInner>> = OnceLock::new();
    SHARED.get_or_init(|| {
        let shared = Arc::new(PoolInner::default());
        for number in 0..SYNC_THREADS {
            let own = Arc::clone(&shared);
            // Without the thread, its jobs run on the caller's thread.
            let _ = thread::Builder::new()
                .name(format!("piton-sync-{number}"))
                .spawn(move || own.serve());
        }
        shared
    })
}

/// Runs all jobs, up to `width` at a time, and returns their results in order.
pub(super) fn run<R: Send + 'static>(
    width: usize,
    jobs: Vec<Box<dyn FnOnce() -> R + Send>>,
) -> Vec<R> {
    if width <= 1 || jobs.len() <= 1 {
        return jobs.into_iter().map(|job| job()).collect();
    }
    let count = jobs.len();
    let (sender, results) = mpsc::channel();
    let mut own: Vec<Job> = Vec::new();
    let mut lent = 0;
    for (number, job) in jobs.into_iter().enumerate() {
        let sender = sender.clone();
        let job: Job = Box::new(move || {
            // Nothing that the job leaves half done is looked at, because its panic continues in the caller. The
            // receiver lives until every result is in.
            let _ = sender.send((number, catch_unwind(AssertUnwindSafe(job))));
        });
        // The caller keeps the first job for itself: it would only wait otherwise.
        if number == 0 || lent + 1 >= width {
            own.push(job);
            continue;
        }
        match shared().offer(job) {
            Ok(()) => lent += 1,
            Err(job) => own.push(job),
        }
    }
    // The channel closes when the last job is done, which ends the loop over the results.
    drop(sender);
    for job in own {
        job();
    }
    let mut slots: Vec<Option<thread::Result<R>>> = (0..count).map(|_| None).collect();
    for (number, result) in results {
        slots[number] = Some(result);
    }
    let results = slots.into_iter().map(|slot| slot.expect("every job sends its result"));
    results.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<Box<dyn FnOnce() -> usize + Send>> {
        (0..count).map(|number| Box::new(move || number) as Box<_>).collect()
    }

    #[test]
    fn results_come_back_in_the_order_of_the_jobs() {
        for width in [1, 2, 4, 16] {
            assert_eq!(run(width, numbers(20)), (0..20).collect::<Vec<_>>());
        }
        assert!(run(4, numbers(0)).is_empty());
    }

    #[test]
    fn a_job_that_panics_is_not_taken_for_one_that_is_done() {
        for round in 0..50 {
            // One of them is lent to a thread, if any is idle.
            let jobs = (0..4).map(|number| {
                Box::new(move || assert_ne!(number, round % 4)) as Box<dyn FnOnce() + Send>
            });
            let jobs = jobs.collect();
            assert!(catch_unwind(AssertUnwindSafe(|| run(4, jobs))).is_err());
            assert_eq!(run(4, numbers(5)).len(), 5, "the threads are still there");
        }
    }

    #[test]
    fn many_callers_at_once_do_not_wait_for_each_other_forever() {
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        assert_eq!(run(4, numbers(5)).len(), 5);
                    }
                });
            }
        });
    }
}
