//! Deserializers for fields that serde would read too leniently.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A value that must be written as an object. serde would accept a list as well, with the fields in the order
/// of their declaration.
pub(super) struct ObjectField<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ObjectField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

// There is no `visit_seq`, so a list is refused.
impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// Reads a field that may be left out but must not be `null`. Use it with `default`.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a field that may be `null` but must not be left out.
pub(super) fn nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// Reads and writes an iteration as a number.
pub(super) mod iteration {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::loop_path::Iteration;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        iteration: &Iteration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(iteration.get())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Iteration, D::Error> {
        Iteration::new(u32::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
