//! The faults that the simulated disk can inject.

use std::io;

/// Kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The power goes out before the call has any effect.
    Crash,
    /// The call fails, and the next ones work. A failed sync of a file loses what it should have made durable, and a
    /// later sync does not bring it back; names stay as they were, not yet durable.
    ErrorOnce,
    /// This call and all after it fail.
    ErrorForever,
    /// This call and all after it that need space fail.
    Full,
    /// A write takes only half of its bytes; other calls work.
    ShortWrite,
    /// From this call on every sync fails, and everything else works.
    SyncsFail,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Crash,
        Self::ErrorOnce,
        Self::ErrorForever,
        Self::Full,
        Self::ShortWrite,
        Self::SyncsFail,
    ];
}

/// A fault at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskFault {
    /// The call at which the fault happens, counted from 0.
    pub at: u64,
    pub kind: FaultKind,
}

/// Kind of a call, as far as faults care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    Reads,
    Writes,
    NeedsSpace,
    Syncs,
}

/// Effect of a fault on a call that does not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultVerdict {
    Works,
    WorksHalf,
}

impl DiskFault {
    /// Judges call number `call`, and notes in `crashed` that the power is out.
    pub(super) fn judge(
        self,
        call: u64,
        nature: Nature,
        crashed: &mut bool,
    ) -> io::Result<FaultVerdict> {
        let error = || Err(io::Error::from_raw_os_error(5));
        match self.kind {
            FaultKind::Crash if call >= self.at => {
                *crashed = true;
                Err(io::Error::other("the power is out"))
            }
            FaultKind::ErrorOnce if call == self.at => error(),
            FaultKind::ErrorForever if call >= self.at => error(),
            FaultKind::Full if call >= self.at && nature == Nature::NeedsSpace => {
                Err(io::Error::from_raw_os_error(28))
            }
            FaultKind::ShortWrite if call == self.at => Ok(FaultVerdict::WorksHalf),
            FaultKind::SyncsFail if call >= self.at && nature == Nature::Syncs => error(),
            _ => Ok(FaultVerdict::Works),
        }
    }
}
