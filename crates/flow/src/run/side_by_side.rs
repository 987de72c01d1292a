//! Several pieces of work at once, with their results in order.

use futures_util::StreamExt as _;
use futures_util::stream::FuturesOrdered;

use crate::error::Error;
use crate::node::BoxFuture;

/// Does `count` pieces of work, at most `max` at once. The first failure in their order ends all of them.
pub(super) async fn in_order<'a, T>(
    count: usize,
    max: usize,
    piece: impl Fn(usize) -> BoxFuture<'a, Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    let mut under_way = FuturesOrdered::new();
    let mut results = Vec::with_capacity(count);
    let mut begun = 0;
    while results.len() < count {
        while begun < count && under_way.len() < max {
            under_way.push_back(piece(begun));
            begun += 1;
        }
        let next = under_way.next().await.expect("there is work left, and some was begun");
        results.push(next?);
    }
    Ok(results)
}
