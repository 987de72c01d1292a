//! How much random agents did.

/// What happened, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) advanced: u64,
    pub(super) blocked: u64,
    pub(super) repeated: u64,
    pub(super) refused: u64,
    pub(super) rotations: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.advanced += other.advanced;
        self.blocked += other.blocked;
        self.repeated += other.repeated;
        self.refused += other.refused;
        self.rotations += other.rotations;
    }

    pub(super) fn counts(&self) -> [(&'static str, u64); 6] {
        [
            ("calls", self.calls),
            ("advanced", self.advanced),
            ("blocked", self.blocked),
            ("repeated", self.repeated),
            ("refused", self.refused),
            ("rotations", self.rotations),
        ]
    }
}
