//! Work that threads share, some of which makes more work.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A stack of tasks. It is done when no task is left and nobody works on one.
pub(super) struct TaskQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    tasks: Vec<T>,
    busy: usize,
    /// Threads that have nothing to do. Waking nobody would be a system call for nothing.
    waiting: usize,
}

impl<T> TaskQueue<T> {
    /// A queue with one task.
    pub(super) fn new(first: T) -> Self {
        let state = QueueState { tasks: vec![first], busy: 0, waiting: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Works until everything is done. `work` does a task and adds the tasks that come of it.
    pub(super) fn work(&self, mut work: impl FnMut(T, &mut Vec<T>)) {
        let mut own = Vec::new();
        while let Some(task) = self.take() {
            // The first of the new tasks are for others, the last is done at once: deep first, so that few
            // directories are open at a time.
            let _busy = Busy(self);
            let mut next = Some(task);
            while let Some(task) = next.take() {
                work(task, &mut own);
                next = own.pop();
                if !own.is_empty() {
                    self.add(&mut own);
                }
            }
        }
    }

    fn take(&self) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(task) = state.tasks.pop() {
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn add(&self, tasks: &mut Vec<T>) {
        let mut state = self.state();
        state.tasks.append(tasks);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody works; ends when dropped, so that a panic of one thread does not leave the others waiting.
struct Busy<'a, T>(&'a TaskQueue<T>);

impl<T> Drop for Busy<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.busy -= 1;
        if state.busy == 0 {
            self.0.changed.notify_all();
        }
    }
}
