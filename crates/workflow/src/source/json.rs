//! Parses JSON text without losing what `serde_json` would lose: a field that occurs twice.

use std::fmt;

use piton_core::{LostNumber, refuse_lost_numbers};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::problem::{Pointer, ProblemCode, Problems, SPLIT};
use crate::bounds::SOURCE_BYTES_MAX;

/// Parses `text`. If a field occurs twice, the first counts and the second is reported.
pub(crate) fn parse(text: &str, problems: &mut Problems) -> Option<Value> {
    let root = Pointer::root();
    if text.len() > SOURCE_BYTES_MAX {
        let reason = format!("the file has {} bytes, {SOURCE_BYTES_MAX} are allowed", text.len());
        problems.report(&root, ProblemCode::NotJson, reason, SPLIT);
        return None;
    }
    // A number that floats cannot represent would silently become another one in the compiled workflow.
    if let Err(LostNumber { shown }) = refuse_lost_numbers(text) {
        let reason = format!("the number {shown} is one that JSON readers cannot keep");
        let fix = "write it as a text, in quotes, or write a smaller number";
        problems.report(&root, ProblemCode::OutOfRange, reason, fix);
        return None;
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = Seed { at: &root, problems };
    let parsed = seed.deserialize(&mut deserializer);
    // Text after the value is refused as well.
    match parsed.and_then(|value| deserializer.end().map(|()| value)) {
        Ok(value) => Some(value),
        Err(error) => {
            let reason = format!("the file is not JSON: {error}");
            problems.report(&root, ProblemCode::NotJson, reason, "fix the JSON at that place");
            None
        }
    }
}

struct Seed<'a> {
    at: &'a Pointer,
    problems: &'a mut Problems,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let at = self.at.item(list.len());
            match items.next_element_seed(Seed { at: &at, problems: self.problems })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let at = self.at.field(&key);
            let value = entries.next_value_seed(Seed { at: &at, problems: self.problems })?;
            // The second value was parsed all the same, so the problems inside it are reported.
            if map.contains_key(&key) {
                let reason = format!("the field `{key}` occurs twice");
                self.problems.report(
                    &at,
                    ProblemCode::DuplicateField,
                    reason,
                    "remove one of them",
                );
            } else {
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
    }
}
