//! The software bill of materials: what is linked into the program, in `CycloneDX` 1.6.
//!
//! # Limitations
//! It does not list the standard library of Rust, nor the npm packages that the page of the console was built from.

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::contents::Document;
use super::linked::{Component, Linked};
use super::names::{PROGRAM, REPOSITORY};

/// The bill for all that is linked, made at this time.
pub(crate) fn of(linked: &Linked, time: Timestamp) -> Result<Document> {
    let program = linked.components.get(&linked.program).context("the program is linked")?;
    let libraries = linked.components.iter().filter(|(url, _)| **url != linked.program);
    let mut about = component(&linked.program, program, "application");
    about["name"] = json!(PROGRAM);
    about["externalReferences"] = json!([{ "type": "vcs", "url": REPOSITORY }]);
    let uses = linked
        .components
        .iter()
        .map(|(url, component)| json!({ "ref": url, "dependsOn": component.uses }));
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.to_string(),
            "component": about,
        },
        "components":
            libraries.map(|(url, part)| component(url, part, "library")).collect::<Vec<_>>(),
        "dependencies": uses.collect::<Vec<_>>(),
    });
    let name = format!("{PROGRAM}-{}.cdx.json", program.version);
    Ok(Document { name, text: format!("{bill:#}\n").into_bytes() })
}

fn component(url: &str, part: &Component, kind: &str) -> Value {
    let mut value = json!({
        "type": kind,
        "bom-ref": url,
        "name": part.name,
        "version": part.version,
        "licenses": [{ "expression": part.license }],
        "purl": url,
    });
    if let Some(checksum) = &part.checksum {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    value
}
