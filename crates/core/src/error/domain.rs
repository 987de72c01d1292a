//! The parts of the system that errors come from.

crate::closed_set! {
    /// Where an error comes from; every code belongs to one domain and starts with its name.
    pub enum Domain {
        /// The storage adapters.
        Store => "store",
        /// One session: its lock and its health.
        Session => "session",
        /// The keys that sign tokens.
        Keyring => "keyring",
        /// The token that the caller sent.
        Token => "token",
        /// A bundle that the caller wants imported.
        Bundle => "bundle",
        /// A language model and its provider.
        Model => "model",
        /// A flow: its description and its runs.
        Flow => "flow",
        /// A backpack.
        Backpack => "backpack",
        /// The tree and the frames of a project.
        Context => "context",
        /// The files of a Workspace.
        Workspace => "workspace",
        /// What the caller sent.
        Validation => "validation",
        /// Piton itself.
        Internal => "internal",
    }
}
