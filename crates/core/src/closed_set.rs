//! Enums with names that are part of a format: [`closed_set!`](crate::closed_set).
//!
//! *Invariants*: an unknown name is a typed error that lists the allowed ones; it is never mapped to a default.

use crate::display::excerpt;

/// Error for a text that is not a name in a closed set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is not one of: {}", .allowed.join(", "))]
pub struct UnknownValue {
    /// Name of the type of the set.
    pub set: &'static str,
    /// Start of the text that was found instead.
    pub value: String,
    /// Names of the set, in the order of declaration.
    pub allowed: &'static [&'static str],
}

impl UnknownValue {
    /// Reports `value`, shortened, against the names of `set`.
    pub fn new(set: &'static str, value: &str, allowed: &'static [&'static str]) -> Self {
        Self { set, value: excerpt(value), allowed }
    }
}

/// Declares an enum in which every variant has one fixed name in text and JSON.
///
/// The enum is `Copy`, ordered and hashable, and gets `ALL`, `NAMES`, `as_str`, `Display`, `FromStr` (refusing anything
/// else with [`UnknownValue`]) and the serde traits. Names are written out, because they are a format and must not
/// change when a variant is renamed.
///
/// ```
/// piton_core::closed_set! {
///     /// How careful a run is.
///     pub enum RiskPolicy {
///         /// Ask first.
///         Conservative => "conservative",
///         /// Ask when it matters.
///         Balanced => "balanced",
///     }
/// }
/// assert_eq!("balanced".parse(), Ok(RiskPolicy::Balanced));
/// assert_eq!(
///     "bold".parse::<RiskPolicy>().unwrap_err().to_string(),
///     "`bold` is not one of: conservative, balanced",
/// );
/// ```
#[macro_export]
macro_rules! closed_set {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident => $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// All values, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Names of all values, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// Returns the name in text and JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownValue;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownValue::new(stringify!($name), text, Self::NAMES)),
                }
            }
        }

        $crate::text_serde!($name, concat!("the name of a ", stringify!($name)));
        $crate::string_schema!($name, { "enum": Self::NAMES });
    };
}
