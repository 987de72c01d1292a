//! Medians and their confidence.
//!
//! Times on a disk have long tails, so nothing here uses a mean or assumes a shape. The interval of a median comes from
//! order statistics: each value lies below the true median with probability one half, so the number of values below it
//! is binomial, whatever the distribution. This requires independent values. The medians of blocks come close to that;
//! the pairs within a block do not.

use serde::Serialize;

use super::Samples;
use super::pairs::Pair;

/// The median of some values, and the beginning of their tail.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// A median with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

/// Converts a count for calculations.
#[expect(clippy::cast_precision_loss, reason = "nothing that is counted here comes near 2^53")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// Summarizes at least one value.
pub(crate) fn summary(values: &[f64]) -> Summary {
    let sorted = sorted(values);
    Summary { median: middle(&sorted), p99: rank(&sorted, 99) }
}

/// Returns the value that `percent` of at least one value do not exceed.
pub(crate) fn percentile(values: &[f64], percent: usize) -> f64 {
    rank(&sorted(values), percent)
}

/// Returns a percentile by the nearest-rank definition: the smallest value that at least this part of the values do not
/// exceed.
fn rank(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent).div_ceil(100) - 1]
}

/// Returns the median of the ratios within pairs, with its interval from the medians of the blocks.
pub(crate) fn ratio_interval(samples: &Samples<f64>) -> Interval {
    // The best estimate uses every pair. The interval must not: pairs of a block share its luck, so each block counts
    // once.
    let ratios: Vec<f64> = samples.pairs().map(ratio).collect();
    let medians = samples.0.iter().map(|block| {
        let ratios: Vec<f64> = block.iter().map(ratio).collect();
        middle(&sorted(&ratios))
    });
    let medians = sorted(&medians.collect::<Vec<_>>());
    // Cuts equally many ranks off both ends, since the binomial with one half is symmetric.
    let outside = ranks_outside(medians.len());
    Interval {
        low: medians[outside],
        median: middle(&sorted(&ratios)),
        high: medians[medians.len() - 1 - outside],
    }
}

/// Returns the ratio within a pair. Zero against zero counts as equal.
#[expect(clippy::float_cmp, reason = "equal counts, zero among them, are exactly equal")]
fn ratio(pair: &Pair<f64>) -> f64 {
    if pair.ours == pair.baseline { 1.0 } else { pair.ours / pair.baseline }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    assert!(!values.is_empty(), "a measure has at least one sample");
    let mut sorted = values.to_vec();
    // Floats have no total order of their own. No NaN occurs here, and infinity sorts last.
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[half - 1], sorted[half])
    } else {
        sorted[half]
    }
}

/// Returns how many of `count` sorted values may be cut off at each end while the rest still contains the true median
/// with a probability of at least 95 %.
fn ranks_outside(count: usize) -> usize {
    // Half of the remaining 5 % on either side.
    const TAIL: f64 = 0.025;
    let total = float(count as u64);
    // Logarithms, because 0.5 to the power of a few thousand underflows to zero.
    let mut log_probability = -total * 2_f64.ln();
    let mut cumulative = log_probability.exp();
    let mut outside = 0;
    // `cumulative` is the probability that at most `outside` of the values lie below the true median.
    while cumulative <= TAIL && outside < count / 2 {
        outside += 1;
        let done = float(outside as u64);
        // From one binomial coefficient to the next: C(n, k) = C(n, k - 1) * (n - k + 1) / k.
        log_probability += ((total - done + 1.0) / done).ln();
        cumulative += log_probability.exp();
    }
    // The loop ends at the first rank that is too far inside, so the one before it is the last that is allowed.
    outside.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u32) -> Vec<f64> {
        (1..=count).rev().map(f64::from).collect()
    }

    #[test]
    fn the_median_is_in_the_middle_and_the_p99_near_the_end() {
        assert_eq!(summary(&[5.0]), Summary { median: 5.0, p99: 5.0 });
        assert_eq!(summary(&numbers(4)), Summary { median: 2.5, p99: 4.0 });
        assert_eq!(summary(&numbers(1_000)), Summary { median: 500.5, p99: 990.0 });
    }

    #[test]
    fn the_interval_has_the_ranks_of_the_binomial_tables() {
        // The lower rank, counted from one, for a two-sided 95 % interval.
        for (count, rank) in [(6, 1), (10, 2), (20, 6), (50, 18), (100, 40), (500, 228)] {
            assert_eq!(ranks_outside(count) + 1, rank, "{count}");
        }
        for few in 1..6 {
            assert_eq!(ranks_outside(few), 0);
        }
    }

    #[test]
    fn the_interval_of_many_values_does_not_underflow() {
        let outside = ranks_outside(20_000);
        assert!((9_855..9_865).contains(&outside), "{outside}");
    }

    #[test]
    fn ratios_are_taken_within_pairs() {
        let samples = |pairs: &[(f64, f64)]| {
            Samples(vec![pairs.iter().map(|&(ours, baseline)| Pair { ours, baseline }).collect()])
        };
        let twice = samples(&[(2.0, 1.0), (20.0, 10.0), (200.0, 100.0)]);
        assert_eq!(ratio_interval(&twice), Interval { low: 2.0, median: 2.0, high: 2.0 });
        assert_eq!(ratio_interval(&samples(&[(0.0, 0.0)])).median.to_bits(), 1.0_f64.to_bits());
        assert!(ratio_interval(&samples(&[(1.0, 0.0)])).median.is_infinite());
    }

    #[test]
    fn a_block_is_one_observation_however_many_pairs_it_has() {
        let block = |ours: f64| vec![Pair { ours, baseline: 1.0 }; 1_000];
        let blocks = [0.8, 0.9, 1.0, 1.1, 1.2, 1.3];
        let interval = ratio_interval(&Samples(blocks.map(block).to_vec()));
        assert_eq!((interval.low, interval.high), (0.8, 1.3));
    }
}
