//! Futures that run at the same time in one task, without an executor.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Waits for all of some futures, and returns their outputs in order.
pub(crate) async fn together<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut is_pending = false;
        for (future, output) in &mut waiting {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *output = Some(ready),
                    Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
}

/// Waits for two futures, the first of which is started first.
pub(crate) async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut first, mut second) = (None, None);
    poll_fn(|context| {
        if first.is_none()
            && let Poll::Ready(ready) = one.as_mut().poll(context)
        {
            first = Some(ready);
        }
        if second.is_none()
            && let Poll::Ready(ready) = other.as_mut().poll(context)
        {
            second = Some(ready);
        }
        match (first.take(), second.take()) {
            (Some(first), Some(second)) => Poll::Ready((first, second)),
            (one_ready, other_ready) => {
                (first, second) = (one_ready, other_ready);
                Poll::Pending
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `output` once it was polled `times` times.
    async fn late(times: u32, output: u32) -> u32 {
        let mut left = times;
        poll_fn(|context| {
            left = left.saturating_sub(1);
            context.waker().wake_by_ref();
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        output
    }

    #[tokio::test]
    async fn outputs_come_in_the_order_of_the_futures_whatever_ends_first() {
        let outputs = together([late(3, 1), late(1, 2), late(2, 3)]).await;
        assert_eq!(outputs, [1, 2, 3]);
        assert_eq!(both(late(2, 1), late(5, 2)).await, (1, 2));
        assert_eq!(both(late(5, 1), late(2, 2)).await, (1, 2));
        assert!(together(Vec::<std::future::Ready<()>>::new()).await.is_empty());
    }
}
