//! A work queue shared by threads, where tasks can create more tasks.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A stack of tasks. It is finished when no task is left and no thread is working on one.
pub(super) struct TaskQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    tasks: Vec<T>,
    busy: usize,
    /// Number of idle threads. Notifying when there are none would waste a system call.
    waiting: usize,
}

impl<T> TaskQueue<T> {
    /// Creates a queue with one task.
    pub(super) fn new(first: T) -> Self {
        let state = QueueState { tasks: vec![first], busy: 0, waiting: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Runs tasks until all are done. `work` performs a task and pushes the tasks that follow from it.
    pub(super) fn work(&self, mut work: impl FnMut(T, &mut Vec<T>)) {
        let mut own = Vec::new();
        while let Some(task) = self.take() {
            // The last new task is done at once and the others are shared. Going deep first keeps few directories open
            // at a time.
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
            // A busy thread may still add tasks, so the queue is finished only when none is busy.
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

/// Marks a thread as busy until dropped, so that a panic in one thread does not leave the others waiting.
struct Busy<'a, T>(&'a TaskQueue<T>);

impl<T> Drop for Busy<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.busy -= 1;
        // The last busy thread wakes the others, so that they can see that the queue is finished.
        if state.busy == 0 {
            self.0.changed.notify_all();
        }
    }
}
