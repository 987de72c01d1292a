//! One measure, its baseline, and its verdict.

use std::time::Duration;

use serde::Serialize;

use crate::measure::{Cost, Interval, Samples, Summary, float, ratio_interval, slowness, summary};

/// Unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Unit {
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "µs")]
    Microseconds,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "bytes")]
    Bytes,
    #[serde(rename = "calls")]
    Calls,
}

impl Unit {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Microseconds => "µs",
            Self::Megabytes => "MB",
            Self::Bytes => "bytes",
            Self::Calls => "calls",
        }
    }

    /// Returns a time in this unit.
    fn of(self, time: Duration) -> f64 {
        match self {
            Self::Milliseconds => time.as_secs_f64() * 1e3,
            Self::Microseconds => time.as_secs_f64() * 1e6,
            Self::Megabytes | Self::Bytes | Self::Calls => panic!("this is no unit of time"),
        }
    }
}

/// A limit that a measure must hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Bar {
    pub(super) on: Subject,
    pub(super) at_most: f64,
    /// Factor by which this machine is slower than the one that a calibrated bar was set on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slowness: Option<f64>,
}

/// The figure that a bar applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Subject {
    /// The lower end of the ratio's interval. For figures that a disk decides, where no median is certain.
    RatioLow,
    RatioMedian,
    Median,
}

impl Bar {
    /// Creates a bar on a ratio that a disk decides.
    pub(crate) fn disk_ratio(at_most: f64) -> Self {
        Self { on: Subject::RatioLow, at_most, slowness: None }
    }

    /// Creates a bar on a ratio of work.
    pub(crate) fn ratio(at_most: f64) -> Self {
        Self { on: Subject::RatioMedian, at_most, slowness: None }
    }

    /// Creates a bar on a time that has nothing of its kind to be compared with. It is stretched by the slowness of
    /// this machine, which is measured here and now.
    pub(crate) fn calibrated(at_most: f64) -> Self {
        Self { on: Subject::Median, at_most, slowness: Some(slowness()) }
    }

    /// Creates a bar on the figure itself: a promise to users, whatever their machine.
    pub(crate) fn promise(at_most: f64) -> Self {
        Self { on: Subject::Median, at_most, slowness: None }
    }

    /// Returns the largest figure that holds on this machine.
    fn limit(self) -> f64 {
        self.at_most * self.slowness.unwrap_or(1.0)
    }
}

/// Verdict on a measure. The judged figure decides between holding and missing. A bar that holds, although the interval
/// of its ratio says that it might not, is reported separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BarVerdict {
    Holds,
    /// The median is within the bar, but the interval reaches over it.
    HoldsIntervalOver,
    /// The interval reaches down to the bar, but the median is over it.
    HoldsMedianOver,
    Misses,
    NotJudged,
}

/// The baseline of a measure.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Baseline {
    pub(super) name: &'static str,
    #[serde(flatten)]
    pub(super) figures: Summary,
    pub(super) ratio: Interval,
}

/// One measure.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MeasureRow {
    pub(super) name: &'static str,
    pub(super) unit: Unit,
    pub(super) samples: usize,
    #[serde(flatten)]
    pub(super) figures: Summary,
    pub(super) baseline: Option<Baseline>,
    pub(super) bar: Option<Bar>,
    pub(super) verdict: BarVerdict,
}

impl MeasureRow {
    /// Creates a measure without a baseline.
    pub(crate) fn unpaired(name: &'static str, unit: Unit, values: &[f64]) -> Self {
        Self {
            name,
            unit,
            samples: values.len(),
            figures: summary(values),
            baseline: None,
            bar: None,
            verdict: BarVerdict::NotJudged,
        }
    }

    /// Creates a measure beside its baseline.
    pub(crate) fn paired(
        name: &'static str,
        unit: Unit,
        baseline: &'static str,
        pairs: &Samples<f64>,
    ) -> Self {
        let ours: Vec<f64> = pairs.pairs().map(|pair| pair.ours).collect();
        let theirs: Vec<f64> = pairs.pairs().map(|pair| pair.baseline).collect();
        let (figures, ratio) = (summary(&theirs), ratio_interval(pairs));
        let baseline = Some(Baseline { name: baseline, figures, ratio });
        Self { baseline, ..Self::unpaired(name, unit, &ours) }
    }

    /// Creates a measure of times beside its baseline.
    pub(crate) fn timed(
        name: &'static str,
        unit: Unit,
        baseline: &'static str,
        times: &Samples<Duration>,
    ) -> Self {
        Self::timed_each(name, unit, baseline, times, 1)
    }

    /// Creates a measure of a part of some work, from the times of `count` such parts together.
    pub(crate) fn timed_each(
        name: &'static str,
        unit: Unit,
        baseline: &'static str,
        times: &Samples<Duration>,
        count: u64,
    ) -> Self {
        Self::paired(name, unit, baseline, &times.map(|time| unit.of(*time) / float(count)))
    }

    /// Creates a measure of CPU time, followed by the disk calls and the bytes read, each judged by the same bar.
    pub(crate) fn costs(
        name: &'static str,
        baseline: &'static str,
        samples: &Samples<Cost>,
        bar: Bar,
    ) -> Vec<Self> {
        let row = |name, unit, figure: fn(&Cost) -> f64| {
            Self::paired(name, unit, baseline, &samples.map(figure)).judged(bar)
        };
        vec![
            row(name, Unit::Microseconds, Cost::cpu_us),
            row("  its disk calls", Unit::Calls, Cost::calls),
            row("  its bytes read", Unit::Bytes, Cost::bytes_read),
        ]
    }

    /// Judges the measure by a bar.
    #[must_use]
    pub(crate) fn judged(self, bar: Bar) -> Self {
        let ratio = self.baseline.as_ref().map(|baseline| baseline.ratio);
        let figure = match bar.on {
            Subject::Median => Some(self.figures.median),
            Subject::RatioMedian => ratio.map(|ratio| ratio.median),
            Subject::RatioLow => ratio.map(|ratio| ratio.low),
        };
        let figure = figure.expect("a bar on a ratio is laid on a measure with a baseline");
        // The interval describes the ratio, so it says nothing about a bar on the figure itself.
        let doubt = ratio.filter(|_| bar.on != Subject::Median);
        // A median over the bar is the stronger doubt, so it is checked first.
        let limit = bar.limit();
        let verdict = match (figure <= limit, doubt) {
            (false, _) => BarVerdict::Misses,
            (true, Some(ratio)) if ratio.median > limit => BarVerdict::HoldsMedianOver,
            (true, Some(ratio)) if ratio.high > limit => BarVerdict::HoldsIntervalOver,
            (true, _) => BarVerdict::Holds,
        };
        Self { bar: Some(bar), verdict, ..self }
    }

    pub(super) fn is_judged(&self) -> bool {
        self.verdict != BarVerdict::NotJudged
    }

    /// True if the bar holds although the interval reaches over it.
    pub(super) fn is_doubtful(&self) -> bool {
        matches!(self.verdict, BarVerdict::HoldsIntervalOver | BarVerdict::HoldsMedianOver)
    }

    pub(super) fn misses(&self) -> bool {
        self.verdict == BarVerdict::Misses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Pair;

    fn row(ratios: &[f64]) -> MeasureRow {
        let block = |&ours| vec![Pair { ours, baseline: 1.0 }];
        let samples = Samples(ratios.iter().map(block).collect());
        MeasureRow::paired("a", Unit::Milliseconds, "b", &samples)
    }

    #[test]
    fn a_bar_on_a_disk_ratio_holds_while_the_interval_reaches_below_it() {
        let ratios = [1.0, 1.1, 1.4, 1.4, 1.5, 1.5];
        assert!(!row(&ratios).judged(Bar::disk_ratio(1.3)).misses());
        assert!(row(&ratios).judged(Bar::ratio(1.3)).misses());
        assert!(row(&[1.4; 6]).judged(Bar::disk_ratio(1.3)).misses());
    }

    #[test]
    fn a_bar_that_holds_tells_how_far_the_interval_reaches() {
        let verdict = |ratios: &[f64], bar| row(ratios).judged(bar).verdict;
        assert_eq!(verdict(&[1.1; 6], Bar::ratio(1.3)), BarVerdict::Holds);
        let wide = [1.0, 1.1, 1.1, 1.1, 1.1, 1.4];
        assert_eq!(verdict(&wide, Bar::ratio(1.3)), BarVerdict::HoldsIntervalOver);
        assert_eq!(verdict(&wide, Bar::disk_ratio(1.3)), BarVerdict::HoldsIntervalOver);
        let high = [1.0, 1.4, 1.4, 1.4, 1.4, 1.4];
        assert_eq!(verdict(&high, Bar::disk_ratio(1.3)), BarVerdict::HoldsMedianOver);
        assert_eq!(verdict(&high, Bar::ratio(1.3)), BarVerdict::Misses);
        // A bar on the figure says nothing about the ratio.
        assert_eq!(verdict(&wide, Bar::promise(1.3)), BarVerdict::Holds);
    }

    #[test]
    fn a_calibrated_bar_is_as_much_wider_as_the_machine_is_slower() {
        let row = MeasureRow::unpaired("a", Unit::Microseconds, &[150.0]);
        let bar = |slowness| Bar { slowness: Some(slowness), ..Bar::promise(100.0) };
        assert!(row.clone().judged(bar(1.0)).misses());
        assert!(!row.clone().judged(bar(2.0)).misses());
        // A machine that is faster than the reference gets a narrower bar, so that a regression shows there too.
        assert!(row.judged(bar(0.5)).misses());
    }

    #[test]
    fn a_bar_on_a_figure_needs_no_baseline() {
        let row = MeasureRow::unpaired("a", Unit::Megabytes, &[59.0, 60.0, 90.0]);
        assert!(!row.is_judged());
        assert!(!row.clone().judged(Bar::promise(60.0)).misses());
        assert!(row.judged(Bar::promise(59.9)).misses());
    }
}
