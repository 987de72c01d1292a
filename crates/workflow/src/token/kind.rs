//! The purposes of tokens.

piton_core::closed_set! {
    /// What a token is for.
    pub enum TokenKind {
        /// Reading where a run stands.
        State => "state",
        /// Handing in the output of a pending step, once.
        Ack => "ack",
        /// Making a bookmark, once.
        Checkpoint => "checkpoint",
    }
}

impl TokenKind {
    /// Returns the name that parameters and replies use for such a token.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::State => "stateToken",
            Self::Ack => "ackToken",
            Self::Checkpoint => "checkpointToken",
        }
    }

    /// Returns the beginning of such a token's long form, up to the first dot.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::State => "st",
            Self::Ack => "ack",
            Self::Checkpoint => "chk",
        }
    }
}
