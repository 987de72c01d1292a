//! Asks the client for the directory that its agent works in.
#![expect(
    deprecated,
    reason = "roots are how revisions before 2026-07-28 tell the project directory"
)]

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
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
    let path = PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned());
    path.is_absolute().then_some(path)
}
