//! Colour, which marks state and nothing else. What is printed reads the same without it.

use std::fmt;

/// What a text says about the state of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// In order.
    Good,
    /// Somebody should look.
    Attention,
    /// Not in order.
    Bad,
    /// Beside the point.
    Faint,
}

/// A text in the colour of a state.
pub(crate) struct Styled<T>(State, T);

/// Marks `text` with a state.
pub(crate) const fn styled<T>(state: State, text: T) -> Styled<T> {
    Styled(state, text)
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(state, text) = self;
        let code = match state {
            State::Good => 32,
            State::Attention => 33,
            State::Bad => 31,
            State::Faint => 2,
        };
        write!(formatter, "\x1b[{code}m{text}\x1b[0m")
    }
}
