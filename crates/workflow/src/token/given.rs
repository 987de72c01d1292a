//! A token as a caller gives it: in either form.

use std::str::FromStr;

use super::error::TokenError;
use super::kind::TokenKind;
use super::short::ShortToken;
use super::string::TokenString;

/// A text that has one of the two forms of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenToken {
    /// The signed long form.
    Long(TokenString),
    /// The short form, whose payload must be found first.
    Short(ShortToken),
}

impl GivenToken {
    /// What the token says it is for.
    pub const fn kind(&self) -> TokenKind {
        match self {
            Self::Long(token) => token.kind(),
            Self::Short(token) => token.kind(),
        }
    }
}

impl FromStr for GivenToken {
    type Err = TokenError;

    /// The short form joins its parts with hyphens and the long form with dots, so whichever comes first
    /// tells them apart, and an error speaks of the form that was meant.
    fn from_str(text: &str) -> Result<Self, TokenError> {
        match text.find(['.', '-']) {
            Some(place) if text[place..].starts_with('-') => Ok(Self::Short(text.parse()?)),
            _ => Ok(Self::Long(text.parse()?)),
        }
    }
}
