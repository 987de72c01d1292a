//! The console as browsers see it, byte for byte.
