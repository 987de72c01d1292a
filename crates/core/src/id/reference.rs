//! Digests that refer to one kind of artefact.

/// Declares digest references that differ in name only. The crate that uses it needs `serde` and `schemars`.
#[macro_export]
macro_rules! digest_references {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name($crate::Digest);

        impl $name {
            /// Declares the kind of artefact that `digest` belongs to.
            pub const fn new(digest: $crate::Digest) -> Self {
                Self(digest)
            }

            /// Returns the digest.
            pub const fn digest(self) -> $crate::Digest {
                self.0
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::DigestError;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, formatter)
            }
        }
    )+};
}

digest_references! {
    /// The digest of a compiled workflow's canonical JSON: which workflow a run is pinned to.
    WorkflowHash,
    /// The digest of a snapshot's canonical JSON: where its blob is.
    SnapshotRef,
}
