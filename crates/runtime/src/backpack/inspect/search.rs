//! The choice of backpacks to read when a search does not name one.

use std::time::Duration;

use piton_backpack::BackpackId;
use piton_core::Envelope;

use super::backpacks::Backpacks;
use crate::bounds::BACKPACKS_SEARCHED_MAX;

/// The backpacks that a search reads.
pub(super) struct Searched {
    /// Most recently written first.
    pub(super) ids: Vec<BackpackId>,
    /// Number of older backpacks that the search does not reach.
    pub(super) not_reached: usize,
}

impl Backpacks {
    /// Returns the backpacks that a search reads: all of them, unless there are more than a person would wait for.
    pub(super) async fn searched(&self) -> Result<Searched, Envelope> {
        Ok(within(self.newest().await?, BACKPACKS_SEARCHED_MAX))
    }
}

impl Searched {
    /// Returns the note for an answer that found nothing; empty if everything was read.
    pub(super) fn caveat(&self) -> String {
        match self.not_reached {
            0 => String::new(),
            1 => " The backpack that is longest unused was not read.".to_owned(),
            count => format!(" The {count} backpacks that are longest unused were not read."),
        }
    }
}

fn within(all: Vec<(BackpackId, Duration)>, most: usize) -> Searched {
    let not_reached = all.len().saturating_sub(most);
    Searched { ids: all.into_iter().take(most).map(|(id, _)| id).collect(), not_reached }
}

#[cfg(test)]
mod tests {
    use super::{Duration, within};

    #[test]
    fn a_search_that_ends_early_says_how_many_it_did_not_read() {
        let all: Vec<_> = ["a", "b", "c"].map(|id| (id.parse().unwrap(), Duration::ZERO)).into();
        for (most, read, caveat) in [
            (3, 3, ""),
            (2, 2, " The backpack that is longest unused was not read."),
            (0, 0, " The 3 backpacks that are longest unused were not read."),
        ] {
            let searched = within(all.clone(), most);
            assert_eq!((searched.ids.len(), searched.caveat().as_str()), (read, caveat));
        }
    }
}
