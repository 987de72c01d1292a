//! The guide, carried out.

use std::process::Command;

use piton_models::Wire;
use piton_models::testing::{ModelServer, Reply};

use crate::rig::{Rig, text};

/// The blocks of a page in the order in which they stand: the language and the lines.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => {
                lines.push_str(line);
                lines.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    (0..20).for_each(|_| {
        server.then(Reply::text("It is for the guide."));
    });
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("src/main.rs", "fn main() {}\n");
    rig.write("src/args.rs", "pub struct Args;\n");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/context.md");
    let page = std::fs::read_to_string(page).unwrap();
    let piton = std::path::Path::new(env!("CARGO_BIN_EXE_piton"));
    let path = format!("{}:/usr/bin:/bin", piton.parent().unwrap().display());
    let mut said = Vec::new();
    for (language, lines) in blocks(&page) {
        if language == "toml" && lines.starts_with("[models]") {
            let here = format!("{lines}base_url = \"{}\"\n", server.base_url(Wire::Ollama));
            let file = rig.home().join(".config/piton/config.toml");
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, here).unwrap();
            continue;
        }
        if language == "toml" {
            rig.write("piton.toml", &lines);
            continue;
        }
        for line in lines.lines() {
            let command = line.strip_prefix("$ ").expect("a block has commands only");
            let output = Command::new("sh")
                .args(["-c", command])
                .env_clear()
                .env("HOME", rig.home())
                .env("PATH", &path)
                .current_dir(rig.project())
                .output()
                .unwrap();
            assert!(output.status.success(), "{command}: {}", text(&output.stderr));
            said.push(format!("{line}\n{}", text(&output.stdout)));
        }
    }
    let said = said.join("\n");
    assert_eq!(server.seen().len(), 1, "only one file had no summary: {said}");
    let composed = said.split("$ piton context compose").nth(1).unwrap();
    assert!(composed.contains("### src/main.rs [summary by person, fresh]"), "{composed}");
    assert!(composed.contains("It is for the guide."), "{composed}");
    assert!(said.contains("scout: reader, clients act as it"), "{said}");
    assert!(said.trim_end().ends_with("Nothing is damaged."), "{said}");
}
