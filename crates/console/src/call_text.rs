//! The request of a route, put together from the text of a path and a query.
//!
//! *Invariants*: every field has one source: a name that comes twice is refused, and so is one that the request does not
//! have. A number or a truth value is parsed from its text.

use std::fmt;

use percent_encoding::percent_decode_str;
use piton_core::{Code, Envelope, shorten, visible};
use serde::de::value::{Error, MapDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Maximum number of bytes of a caller's text that a message quotes.
const QUOTED_BYTES_MAX: usize = 64;

/// Names and values of a request, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallText(Vec<(String, String)>);

impl CallText {
    /// Puts together the parameters of a path and a query.
    pub(crate) fn new(
        path: impl IntoIterator<Item = (String, String)>,
        query: Option<&str>,
    ) -> Result<Self, Envelope> {
        let mut all = Self(path.into_iter().collect());
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if all.0.iter().any(|(known, _)| *known == name) {
                return Err(refused(&format!("`{}` comes twice", quoted(&name))));
            }
            all.0.push((name, value));
        }
        Ok(all)
    }

    /// Takes a value out that is no part of the request itself.
    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the request.
    pub(crate) fn read<Asked: DeserializeOwned>(&self) -> Result<Asked, Envelope> {
        let pairs = self.0.iter().map(|(name, value)| (name.as_str(), Text(value)));
        Asked::deserialize(MapDeserializer::new(pairs)).map_err(|error| refused(&error.to_string()))
    }
}

/// Creates the error for a request that cannot be read.
pub(crate) fn refused(why: &str) -> Envelope {
    Envelope::new(Code::ValidationError, format!("The request cannot be read: {why}."))
}

fn quoted(text: &str) -> String {
    shorten(&visible(text), QUOTED_BYTES_MAX).into_owned()
}

fn decoded(text: &str) -> Result<String, Envelope> {
    let blanks = text.replace('+', " ");
    let decoded = percent_decode_str(&blanks).decode_utf8();
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| refused("the query is not UTF-8"))
}

/// One value, as it came.
#[derive(Clone, Copy)]
struct Text<'a>(&'a str);

impl<'de> IntoDeserializer<'de, Error> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Implements the methods that parse a value.
macro_rules! parsed {
    ($($method:ident $visit:ident $what:literal,)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let value = self.0.parse().map_err(|_| not_a($what, self.0))?;
            visitor.$visit(value)
        })+
    };
}

fn not_a(what: &str, text: &str) -> Error {
    Error::custom(fmt::from_fn(|out| write!(out, "`{}` is no {what}", quoted(text))))
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    /// A list has commas between its items.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let items = self.0.split(',').filter(|item| !item.is_empty()).map(Text);
        visitor.visit_seq(serde::de::value::SeqDeserializer::new(items))
    }

    parsed! {
        deserialize_bool visit_bool "truth value",
        deserialize_u8 visit_u8 "whole number",
        deserialize_u16 visit_u16 "whole number",
        deserialize_u32 visit_u32 "whole number",
        deserialize_u64 visit_u64 "whole number",
        deserialize_i64 visit_i64 "whole number",
        deserialize_f64 visit_f64 "number",
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u128 f32 char str string bytes byte_buf unit unit_struct tuple tuple_struct map struct
        identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use piton_core::SessionId;
    use serde::Deserialize;

    use super::CallText;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Asked {
        session: Option<SessionId>,
        words: Option<String>,
        limit: Option<usize>,
        #[serde(default)]
        is_open: bool,
        #[serde(default)]
        tags: Vec<String>,
    }

    fn read(query: &str) -> Result<Asked, String> {
        CallText::new([], Some(query)).and_then(|text| text.read()).map_err(|error| error.message)
    }

    #[test]
    fn fields_are_read_from_text() {
        let asked = read("words=a+b%26c&limit=20&isOpen=true&tags=x,y").unwrap();
        assert_eq!(asked.words.as_deref(), Some("a b&c"));
        assert_eq!((asked.limit, asked.is_open), (Some(20), true));
        assert_eq!(asked.tags, ["x", "y"]);
        assert_eq!(read("").unwrap().limit, None);
    }

    #[test]
    fn what_a_request_does_not_have_is_refused() {
        for (query, why) in [
            ("limit=many", "`many` is no whole number"),
            ("limit=1&limit=2", "`limit` comes twice"),
            ("other=1", "unknown field `other`"),
            ("session=nobody", ""),
            ("words=%ff", "not UTF-8"),
        ] {
            let refusal = read(query).unwrap_err();
            assert!(refusal.contains(why), "{query}: {refusal}");
        }
    }

    #[test]
    fn a_name_in_the_path_is_not_said_again_in_the_query() {
        let path = [("words".to_owned(), "a".to_owned())];
        assert!(CallText::new(path.clone(), Some("words=b")).is_err());
        let text = CallText::new(path, Some("limit=1")).unwrap();
        assert_eq!(text.read::<Asked>().unwrap().words.as_deref(), Some("a"));
    }
}
