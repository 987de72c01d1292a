//! The page: files that are built into the program.
//!
//! *Invariants*: a path that is no file is a place in the page, which finds its way itself, so it gets the page. A
//! browser asks each time whether a file changed, so an upgrade is seen at once.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use piton_core::{Digest, FileBytes};

use super::api::has_tag;

/// A file of the page.
struct Asset {
    path: &'static str,
    bytes: &'static [u8],
}

/// Includes files of the directory of assets.
macro_rules! assets {
    ($($name:literal),+ $(,)?) => {
        [$(Asset {
            path: concat!("/", $name),
            bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/", $name)),
        }),+]
    };
}

/// Every file, the page itself first.
static ASSETS: [Asset; 13] = assets![
    "index.html",
    "console.css",
    "console.js",
    "editor.js",
    "export.css",
    "export.js",
    "flow.js",
    "icon.svg",
    "inter-licence.txt",
    "inter.woff2",
    "jetbrains-mono-licence.txt",
    "jetbrains-mono.woff2",
    "pages.js",
];

/// The `ETag` of each file.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    ASSETS.iter().map(|asset| format!("\"{}\"", Digest::of(&FileBytes(asset.bytes)))).collect()
});

/// Returns the file at a path, or the page.
pub(super) fn respond(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let index = ASSETS.iter().position(|asset| asset.path == path).unwrap_or(0);
    let (asset, tag) = (&ASSETS[index], &TAGS[index]);
    let tagged = [
        (ETAG, HeaderValue::from_str(tag).expect("a digest is ASCII")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if has_tag(headers.get(IF_NONE_MATCH), tag) {
        return (StatusCode::NOT_MODIFIED, tagged).into_response();
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static(content_type(asset.path)))];
    (tagged, kind, asset.bytes).into_response()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test lists the directory")]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{ASSETS, content_type};

    #[test]
    fn every_file_of_the_directory_is_served_and_no_other() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let files = fs::read_dir(directory).unwrap();
        let files: BTreeSet<_> = files
            .map(|entry| format!("/{}", entry.unwrap().file_name().into_string().unwrap()))
            .collect();
        let served: BTreeSet<_> = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        assert_eq!(served, files);
    }

    #[test]
    fn every_file_has_a_known_type() {
        for asset in &ASSETS {
            assert_ne!(content_type(asset.path), "application/octet-stream", "{}", asset.path);
        }
    }
}
