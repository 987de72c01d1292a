//! Roles, and what each allows.

piton_core::closed_set! {
    /// What an agent is for.
    pub enum Role {
        /// Reads context through views.
        Reader => "reader",
        /// Reads, and appends frames.
        Writer => "writer",
        /// Reads, appends, and synthesises directories.
        Synthesis => "synthesis",
    }
}

piton_core::closed_set! {
    /// What a call needs.
    pub enum Right {
        /// To read context.
        Read => "read",
        /// To append frames.
        Append => "append",
        /// To synthesise and regenerate.
        Synthesize => "synthesize",
    }
}

impl Role {
    /// True if the role allows it.
    pub const fn allows(self, right: Right) -> bool {
        match self {
            Self::Reader => matches!(right, Right::Read),
            Self::Writer => matches!(right, Right::Read | Right::Append),
            Self::Synthesis => true,
        }
    }
}
