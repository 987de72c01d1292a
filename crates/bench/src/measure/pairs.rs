//! Pairs that take turns, in blocks with a fresh start.
//!
//! A shared machine is slow for a while, then fast for a while. Two measures taken right after each other see the same
//! conditions, so their ratio means something even when neither of them does alone. The one that goes first is chosen
//! at random, because the first may leave work for the second.
//!
//! Pairs alone are not enough. The place where a file system puts a directory makes everything in it faster or slower
//! for as long as it exists. The same code measured against itself, each side in its own directory, differed by half,
//! and a thousand more pairs would only have made that look certain. So both sides get new files in every block, and a
//! block counts as one observation.

use piton_core::port::fixed::SeededEntropy;

use crate::error::Result;

/// Results of one turn of each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair<T> {
    pub(crate) ours: T,
    pub(crate) baseline: T,
}

/// The pairs of a measure, by block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Samples<T>(pub(crate) Vec<Vec<Pair<T>>>);

impl<T> Samples<T> {
    /// Maps both sides of every pair through `view`.
    pub(crate) fn map<U>(&self, view: impl Fn(&T) -> U) -> Samples<U> {
        let pair = |pair: &Pair<T>| Pair { ours: view(&pair.ours), baseline: view(&pair.baseline) };
        Samples(self.0.iter().map(|block| block.iter().map(pair).collect()).collect())
    }

    /// Iterates over all pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &Pair<T>> {
        self.0.iter().flatten()
    }
}

/// Number of turns of a measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    /// Number of blocks; with fewer than six there is no interval.
    pub(crate) blocks: usize,
    /// Number of pairs in a block that count.
    pub(crate) pairs: usize,
    /// Number of pairs before them that do not count.
    pub(crate) warm_up: usize,
}

impl Schedule {
    /// Seed for the order of the turns: the same in every run.
    pub(crate) const SEED: u64 = 7;

    /// Returns the number of turns of each side in one block, counted or not.
    pub(crate) fn turns(self) -> usize {
        self.warm_up + self.pairs
    }

    /// Lets both sides take turns; `start` creates the two sides of each block.
    pub(crate) fn run<T, A, B>(
        self,
        mut start: impl FnMut(usize) -> Result<(A, B)>,
    ) -> Result<Samples<T>>
    where
        A: FnMut() -> Result<T>,
        B: FnMut() -> Result<T>,
    {
        // One generator for all blocks, so that they differ from each other and the whole run repeats exactly.
        let order = SeededEntropy::new(Self::SEED);
        let mut blocks = Vec::with_capacity(self.blocks);
        for block in 0..self.blocks {
            // A fresh start: both sides get new files, so that the luck of where they lie is drawn again for each
            // block.
            let (mut ours, mut baseline) = start(block)?;
            let mut pairs = Vec::with_capacity(self.pairs);
            for number in 0..self.turns() {
                // A coin decides which side goes first. Neither always pays for what the other left behind, such as
                // dirty pages.
                let pair = if order.next_u64() & 1 == 0 {
                    let ours = ours()?;
                    Pair { ours, baseline: baseline()? }
                } else {
                    let baseline = baseline()?;
                    Pair { ours: ours()?, baseline }
                };
                // Warm-up turns take part in the order as all others do, and only their results are dropped.
                if number >= self.warm_up {
                    pairs.push(pair);
                }
            }
            blocks.push(pairs);
        }
        Ok(Samples(blocks))
    }
}

/// A long subject and several short ones for each block, to show that a cost does not grow with the length.
///
/// Each block has a long subject of its own. With one for all blocks, the place where the file system happened to put
/// it would look like a cost of its length. A short subject gives one sample, because it is longer afterwards.
pub(crate) struct LongAndShort<S> {
    schedule: Schedule,
    blocks: Vec<(S, Vec<S>)>,
}

impl<S> LongAndShort<S> {
    /// Prepares all subjects; `prepare` takes a name and a length.
    pub(crate) fn prepare(
        schedule: Schedule,
        (long, short): (u64, u64),
        prepare: impl Fn(&str, u64) -> Result<S>,
    ) -> Result<Self> {
        let block = |block: usize| {
            let long = prepare(&format!("long-{block}"), long)?;
            let short = (0..schedule.turns())
                .map(|turn| prepare(&format!("short-{block}-{turn}"), short))
                .collect::<Result<Vec<_>>>()?;
            Ok((long, short))
        };
        let blocks = (0..schedule.blocks).map(block).collect::<Result<Vec<_>>>()?;
        Ok(Self { schedule, blocks })
    }

    /// Lets the long and the short subjects take turns.
    pub(crate) fn run<T>(self, cost: impl Fn(&mut S) -> Result<T>) -> Result<Samples<T>> {
        let cost = &cost;
        let mut blocks = self.blocks.into_iter();
        self.schedule.run(|_| {
            let (mut long, short) = blocks.next().expect("there are subjects for every block");
            let mut short = short.into_iter();
            Ok((
                move || cost(&mut long),
                move || cost(&mut short.next().expect("there is a short one for every turn")),
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn both_sides_take_as_many_turns_in_an_order_that_is_neither_fixed_nor_new() {
        let turns = || {
            let log = RefCell::new(String::new());
            let schedule = Schedule { blocks: 4, pairs: 10, warm_up: 2 };
            let samples = schedule.run(|block| {
                let log = &log;
                let turn = move |side| {
                    log.borrow_mut().push(side);
                    Ok(block)
                };
                Ok((move || turn('a'), move || turn('b')))
            });
            let samples = samples.unwrap();
            assert_eq!(samples.pairs().count(), 40);
            for (number, block) in samples.0.iter().enumerate() {
                assert!(block.iter().all(|pair| pair.ours == number && pair.baseline == number));
            }
            log.into_inner()
        };
        let log = turns();
        assert_eq!(log, turns());
        assert_eq!((log.matches('a').count(), log.matches('b').count()), (48, 48));
        let firsts: String = log.chars().step_by(2).collect();
        assert!(firsts.contains('a') && firsts.contains('b'));
        for pair in log.as_bytes().chunks(2) {
            assert_ne!(pair[0], pair[1]);
        }
    }
}
