//! The guide, carried out.

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply};

use crate::page::{blocks, typed};
use crate::rig::{Rig, text};

// shows in part: BP-121 (the tutorial of context)
#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    (0..20).for_each(|_| {
        server.push_reply(ScriptedReply::text("It is for the guide."));
    });
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("src/main.rs", "fn main() {}\n");
    rig.write("src/args.rs", "pub struct Args;\n");
    let mut said = Vec::new();
    for block in blocks("docs/guides/context.md") {
        let lines = block.lines.join("\n") + "\n";
        match block.language.as_str() {
            "toml" if lines.starts_with("[models]") => {
                let here =
                    format!("{lines}base_url = \"{}\"\n", server.base_url(WireFormat::Ollama));
                let file = rig.home().join(".config/piton/config.toml");
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, here).unwrap();
            }
            "toml" => {
                rig.write("piton.toml", &lines);
            }
            _ => {
                for (command, below) in block.commands() {
                    assert!(below.is_empty(), "a block has commands only: {below:?}");
                    let output = typed(&rig, &command);
                    assert!(output.status.success(), "{command}: {}", text(&output.stderr));
                    said.push(format!("$ {command}\n{}", text(&output.stdout)));
                }
            }
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
