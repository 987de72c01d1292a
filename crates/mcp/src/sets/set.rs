//! What a set of tools is to the server.

use futures_util::future::BoxFuture;
use piton_core::Envelope;

use super::call::Call;
use super::told::Told;
use crate::catalogue::Catalogue;

/// The tools of one set that one connection has.
pub trait ToolSet: Send + Sync {
    /// What its agent reads about it.
    fn catalogue(&self) -> &Catalogue;

    /// Makes a call of one of its tools. A call that is given up stops at its next wait.
    fn call<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Told, Envelope>>;
}
