//! Asks the client for the directory that its agent works in.
#![expect(
    deprecated,
    reason = "roots are how revisions before 2026-07-28 tell the project directory"
)]

use std::path::PathBuf;

use rmcp::model::{ListRootsResult, ProtocolVersion, Root};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::time::timeout;

use crate::bounds::ROOTS_WAIT;

/// Returns the first root of the client, if its revision has roots, it knows them, and it reports them in time.
pub(crate) async fn client_root(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let version = context.protocol_version()?;
    let has_roots = version.as_str() < ProtocolVersion::V_2026_07_28.as_str();
    let knows_roots = context.client_capabilities().is_some_and(|known| known.roots.is_some());
    if !has_roots || !knows_roots {
        return None;
    }
    let ListRootsResult { roots, .. } = ask(&context.peer).await?;
    roots.iter().find_map(directory)
}

async fn ask(peer: &Peer<RoleServer>) -> Option<ListRootsResult> {
    timeout(ROOTS_WAIT, peer.list_roots()).await.ok()?.ok()
}

fn directory(root: &Root) -> Option<PathBuf> {
    let path = root.uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = PathBuf::from(percent_decoded(path)?);
    path.is_absolute().then_some(path)
}

/// Decodes `%XX` in a text. Returns `None` if the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = (*first == b'%').then(|| after.get(..2)).flatten();
        let decoded = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}
