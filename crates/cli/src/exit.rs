//! Exit codes, which scripts can rely on.

use std::process::ExitCode;

use piton_core::Code;

use crate::failure::Failure;

/// Help text that lists the exit codes.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  failed; the message says why and what to do
  2  wrong arguments
  3  the run is waiting for a person
  4  another process is using the data; try again
  5  stored data is damaged, or Piton broke a promise about it

A list that reports damage alongside the rest exits with 0. A command that skips part
of its work because of damage, as `session gc` does, exits with 5.";

/// Outcome of a command that printed all it had to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandEnding {
    Done,
    /// The command ran, but what it inspected is not in order.
    Wanting,
    Waits,
    /// The command ran, but what it inspected is damaged.
    Damaged,
}

impl From<CommandEnding> for ExitCode {
    fn from(ending: CommandEnding) -> Self {
        Self::from(ending.number())
    }
}

impl CommandEnding {
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Wanting => 1,
            Self::Waits => 3,
            Self::Damaged => 5,
        }
    }
}

/// Returns the exit code for a failure.
pub(crate) fn code(failure: &Failure) -> ExitCode {
    ExitCode::from(number(failure.envelope().code))
}

/// True if an error code means that stored data is damaged.
pub(crate) fn is_damage(code: Code) -> bool {
    number(code) == CommandEnding::Damaged.number()
}

fn number(code: Code) -> u8 {
    match code {
        Code::SessionLocked
        | Code::TokenSessionLocked
        | Code::BackpackLocked
        | Code::StoreBusy
        | Code::StoreConflict => 4,
        Code::SessionNotHealthy
        | Code::SessionPoisoned
        | Code::StoreCorruptBlob
        | Code::StoreTableDamaged
        | Code::BackpackDamaged
        | Code::ContextIntegrity
        | Code::StoreInvariantViolation
        | Code::KeyringCorrupt => 5,
        // Every other code is an ordinary failure.
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_explained_in_the_help() {
        let endings = [
            CommandEnding::Done,
            CommandEnding::Wanting,
            CommandEnding::Waits,
            CommandEnding::Damaged,
        ];
        let numbers = endings.into_iter().map(CommandEnding::number);
        for number in numbers.chain(Code::ALL.iter().map(|code| number(*code))) {
            assert!(HELP.contains(&format!("\n  {number}  ")), "{number}");
        }
    }
}
