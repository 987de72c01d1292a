//! errors
/// Everything that can go wrong.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The project directory cannot be read.
    #[error("the project directory {path} cannot be read: {reason}")]
    Unscannable {
        /// Which.
        path: String,
        /// What the operating system said.
        reason: String,
    },
}
