//! How fields are read that serde would read too kindly.

use serde::{Deserialize, Deserializer};

/// A field that may be left out, and is not `null` when it is there. Use it with `default`.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// A field that may be `null` and may not be left out.
pub(super) fn nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// An iteration as a number.
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
