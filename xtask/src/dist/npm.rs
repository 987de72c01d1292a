//! The npm packages: one with the program for each platform, and one that finds and starts it.

use anyhow::Result;
use serde_json::{Value, json};

use super::contents::Contents;
use super::names::{CRATE, LICENSE, NPM_LINUX_X64, PROGRAM, REPOSITORY, SUMMARY};
use super::package::Package;
use super::tarball::Tarball;

/// What starts the program.
const LAUNCHER: &str = include_str!("files/launcher.js");

/// The package that people install.
pub(crate) fn pack_launcher(contents: &Contents) -> Result<Package> {
    let mut manifest = manifest(PROGRAM, SUMMARY, &contents.version);
    manifest["bin"] = json!({ PROGRAM: format!("bin/{PROGRAM}.js") });
    manifest["engines"] = json!({ "node": ">=18" });
    manifest["keywords"] = json!(["agents", "mcp", "workflow", "durable", "runtime"]);
    manifest["optionalDependencies"] = json!({ NPM_LINUX_X64: contents.version });
    let launcher = LAUNCHER.replace("{crate}", CRATE);
    pack(contents, &manifest, &format!("bin/{PROGRAM}.js"), launcher.as_bytes())
}

/// The package with the program, which npm installs only where it runs.
pub(crate) fn pack_program(contents: &Contents) -> Result<Package> {
    let summary = format!("The program of {PROGRAM} for Linux on x86-64");
    let mut manifest = manifest(NPM_LINUX_X64, &summary, &contents.version);
    manifest["os"] = json!(["linux"]);
    manifest["cpu"] = json!(["x64"]);
    manifest["libc"] = json!(["glibc"]);
    // Yarn would keep it in an archive, where nothing can be started.
    manifest["preferUnplugged"] = json!(true);
    pack(contents, &manifest, &format!("bin/{PROGRAM}"), &contents.program)
}

fn manifest(name: &str, summary: &str, version: &str) -> Value {
    json!({
        "name": name,
        "version": version,
        "description": summary,
        "license": LICENSE,
        "homepage": REPOSITORY,
        "repository": { "type": "git", "url": format!("git+{REPOSITORY}.git") },
        // A name with a scope would be private otherwise.
        "publishConfig": { "access": "public" },
    })
}

/// Packs as `npm pack` does: everything is below `package`, and the name has no slash.
fn pack(contents: &Contents, manifest: &Value, path: &str, file: &[u8]) -> Result<Package> {
    let mut tar = Tarball::new(contents.time);
    let text = format!("{manifest:#}\n");
    tar.file("package/package.json", 0o644, text.as_bytes())?;
    tar.file(&format!("package/{path}"), 0o755, file)?;
    for document in [&contents.readme].into_iter().chain(&contents.licenses) {
        tar.file(&format!("package/{}", document.name), 0o644, &document.text)?;
    }
    let name = manifest["name"].as_str().unwrap_or_default();
    let stem = name.trim_start_matches('@').replace('/', "-");
    Ok(Package { name: format!("{stem}-{}.tgz", contents.version), bytes: tar.finish()? })
}
