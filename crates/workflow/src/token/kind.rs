//! What a token is for.

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
    /// What parameters and replies call such a token.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::State => "stateToken",
            Self::Ack => "ackToken",
            Self::Checkpoint => "checkpointToken",
        }
    }

    /// How the text of such a token begins, before the first dot.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::State => "st",
            Self::Ack => "ack",
            Self::Checkpoint => "chk",
        }
    }
}
