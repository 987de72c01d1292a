//! Exit codes: what a script can rely on.

use std::process::ExitCode;

use piton_core::Code;

use crate::failure::Failure;

/// What `--help` says of them.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  failed; the message says why and what to do
  2  wrong arguments
  4  somebody else uses the same data; try again
  5  stored data is damaged, or a promise about it did not hold";

/// The code of a failure.
pub(crate) fn code(failure: &Failure) -> ExitCode {
    ExitCode::from(number(failure.envelope().code))
}

fn number(code: Code) -> u8 {
    match code {
        Code::SessionLocked | Code::TokenSessionLocked | Code::StoreBusy | Code::StoreConflict => 4,
        Code::SessionNotHealthy
        | Code::SessionPoisoned
        | Code::StoreCorruptBlob
        | Code::StoreInvariantViolation
        | Code::KeyringCorrupt => 5,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_explained_in_the_help() {
        for code in Code::ALL {
            let line = format!("\n  {}  ", number(*code));
            assert!(HELP.contains(&line), "{code}");
        }
    }
}
