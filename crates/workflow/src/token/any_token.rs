//! A token as a caller sends it, in either form.

use std::str::FromStr;

use super::error::TokenError;
use super::payload::TokenKind;
use super::short::ShortToken;
use super::string::TokenString;

/// A text that has one of the two forms of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyToken {
    /// The signed long form.
    Long(TokenString),
    /// The short form; its payload has to be found before it can be verified.
    Short(ShortToken),
}

impl AnyToken {
    /// Returns the purpose that the token claims to have.
    pub const fn kind(&self) -> TokenKind {
        match self {
            Self::Long(token) => token.kind(),
            Self::Short(token) => token.kind(),
        }
    }
}

impl FromStr for AnyToken {
    type Err = TokenError;

    /// Parses either form.
    ///
    /// The short form joins its parts with hyphens and the long form with dots. Whichever separator comes
    /// first decides, so that an error is about the form that was meant.
    fn from_str(text: &str) -> Result<Self, TokenError> {
        // A long token may contain hyphens, since base64url has them, but only after its first dot.
        match text.find(['.', '-']) {
            Some(place) if text[place..].starts_with('-') => Ok(Self::Short(text.parse()?)),
            _ => Ok(Self::Long(text.parse()?)),
        }
    }
}
