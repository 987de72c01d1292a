//! Several processes on one project: two that write, one that watches, one that checks.

use std::thread;

use piton_store::testing::LongRun;
use serde_json::json;

use super::{configure, is_sound, project, watching::Watcher};

mod long {
    use super::*;

    // shows in part: CT-034 (the command line), CT-082 (other commands work while it runs), CT-088 (two projects)
    #[test]
    fn writers_a_watcher_and_a_checker_do_not_disturb_each_other() {
        let run = LongRun::start("context: two writers, a watcher and a checker");
        println!("{run}");
        let rig = project();
        configure(&rig, "");
        let rounds = LongRun::size(6, 400);
        rig.says(&["context", "put-frame", "src/lib.rs", "--type", "summary", "--text", "0"]);
        rig.says(&["context", "synthesize", ".", "--type", "summary", "--recursive"]);
        let mut watcher = Watcher::start(&rig, &["--regenerate", "--agent", "librarian"]);
        thread::scope(|scope| {
            for (agent, path) in [("scribe", "src/lib.rs"), ("librarian", "src/main.rs")] {
                let rig = &rig;
                scope.spawn(move || {
                    for round in 0..rounds {
                        rig.write(&format!("{path}.{round}"), &round.to_string());
                        let words = format!("{agent} {round}");
                        let put = ["context", "--agent", agent, "put-frame", path];
                        rig.says(&[&put[..], &["--type", "summary", "--text", &words]].concat());
                    }
                });
            }
            scope.spawn(|| (0..rounds).for_each(|round| assert!(is_sound(&rig), "{round}")));
        });
        rig.write("last.txt", "last");
        watcher.until(|told| told["path"] == "last.txt");
        watcher.stop();
        rig.says(&["context", "regenerate"]);
        for (agent, path) in [("scribe", "src/lib.rs"), ("librarian", "src/main.rs")] {
            let shown = rig.tells(&["context", "get-head", path, "--type", "summary"]);
            assert_eq!(shown["frames"][0]["agent"], json!(agent));
            let last = rig.tells(&["context", "get-node", path, "--type", "summary"]);
            let words = format!("{agent} {}", rounds - 1);
            assert_eq!(last["frames"][0]["content"], json!(words), "no head is lost");
            let frames = rounds + u64::from(path == "src/lib.rs");
            assert_eq!(last["frameCount"], json!(frames), "no frame is lost");
        }
        assert!(is_sound(&rig));
        let counts = [("frames", 2 * rounds), ("checks", rounds)];
        run.report(&counts);
    }
}
