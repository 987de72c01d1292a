//! A run as one HTML file: the page with its data inside, for a reader who has neither Piton nor a network.
//!
//! *Invariants*: the file asks for nothing: its policy, in the document itself, allows one script and one style sheet, by
//! their digests, and no connection. Data cannot become markup: it is JSON in a block that no browser runs, without a
//! single `<`.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use piton_core::{Digest, FileBytes};
use piton_runtime::reply::RunExport;

const SCRIPT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/export.js"));
const STYLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/export.css"));

/// Everything of the file before its title. Fonts are part of the style sheet.
static HEAD: LazyLock<String> = LazyLock::new(|| {
    let (script, style) = (source(SCRIPT), source(STYLE));
    let policy = format!(
        "default-src 'none'; script-src {script}; style-src {style}; font-src data:; connect-src 'none'; \
         base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
         trusted-types svelte-trusted-html"
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>"
    )
});

/// Returns a run as one HTML file.
pub fn run_file(run: &RunExport) -> String {
    let data = serde_json::to_string(run).expect("a document is made of JSON's own types");
    let data = inert(&data);
    // A label is two words, so it needs no escape; the page sets the title again from the data.
    let (head, label) = (&*HEAD, &run.label);
    format!(
        "{head}{label} · Piton</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <script type=\"application/json\" id=\"piton-run\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// Returns the source of a policy that allows one text.
fn source(text: &str) -> String {
    let digest = Digest::of(&FileBytes(text.as_bytes()));
    format!("'sha256-{}'", BASE64.encode(digest.as_bytes()))
}

/// Escapes what could end a block of JSON, or a line of a script. It stays the same JSON: outside of texts there is none
/// of these characters.
fn inert(json: &str) -> String {
    let mut inert = String::with_capacity(json.len());
    for one in json.chars() {
        match one {
            '<' => inert.push_str("\\u003c"),
            '\u{2028}' => inert.push_str("\\u2028"),
            '\u{2029}' => inert.push_str("\\u2029"),
            other => inert.push(other),
        }
    }
    inert
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HEAD, SCRIPT, STYLE, inert};

    #[test]
    fn the_script_and_the_style_sheet_do_not_end_early() {
        let (script, style) = (SCRIPT.to_lowercase(), STYLE.to_lowercase());
        assert!(!script.contains("</script") && !style.contains("</style"));
        // Both together would make a browser look for the end of another script.
        assert!(!(script.contains("<!--") && script.contains("<script")));
    }

    #[test]
    fn the_policy_allows_two_texts_and_no_connection() {
        let head = HEAD.as_str();
        assert_eq!(head.matches("'sha256-").count(), 2, "{head}");
        for part in ["default-src 'none'", "connect-src 'none'", "base-uri 'none'"] {
            assert!(head.contains(part), "{head}");
        }
        assert!(!head.contains("unsafe"), "{head}");
        // It only counts if it comes before everything that it is about.
        assert!(head.find("Content-Security-Policy") < head.find("<title>"));
        // A network would be needed for anything that the style sheet names.
        for named in STYLE.split("url(").skip(1) {
            assert!(named.trim_start_matches(['"', '\'']).starts_with("data:"), "{named:.40}");
        }
    }

    #[test]
    fn hostile_texts_stay_data() {
        let hostile = json!([
            "</script><script>alert(1)</script>",
            "<!--",
            "\u{2028}\u{2029}",
            "\u{202e}\u{1b}[31m",
            "a < b"
        ]);
        let text = inert(&hostile.to_string());
        assert!(!text.contains(['<', '\u{2028}', '\u{2029}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), hostile);
    }
}
