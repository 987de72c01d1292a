//! Running several pieces of work concurrently, with their results in order.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;

use crate::flow::error::Error;
use crate::flow::node::BoxFuture;

/// Runs `count` pieces of work, at most `max` at once. After a failure no further piece starts, and those in progress
/// finish, so that their results are not lost. The reported failure is the first one in order.
pub(super) async fn in_order<'a, T>(
    count: usize,
    max: usize,
    piece: impl Fn(usize) -> BoxFuture<'a, Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let mut under_way = FuturesOrdered::new();
    let mut results = Vec::with_capacity(count);
    let mut failure = None;
    let mut begun = 0;
    loop {
        // A failure stops the supply, but the loop continues until everything in progress has ended.
        while failure.is_none() && begun < count && under_way.len() < max {
            under_way.push_back(piece(begun));
            begun += 1;
        }
        match under_way.next().await {
            Some(Ok(result)) => results.push(result),
            Some(Err(error)) => failure = failure.or(Some(error)),
            None => return failure.map_or(Ok(results), Err),
        }
    }
}
