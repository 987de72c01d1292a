//! Workflow files as an editor sees them: read, checked, compiled, saved and copied.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use piton_core::digest::FileBytes;
use piton_core::{Code, Digest, Envelope};
use piton_runtime::reply::{SaveOutcome, SavedSource, SourceFile};
use piton_runtime::request::{CheckSource, CopySource, NewSource, SaveSource};
use piton_workflow::SourceKind;
use piton_workflow::source::{Dialect, ProblemCode};

use crate::rig::{Machine, two_steps};

fn source(machine: &Machine, reference: &str) -> Result<SourceFile, Envelope> {
    machine.runtime().workflow_source(reference, Some(&machine.project()))
}

fn save(
    machine: &Machine,
    source: impl Into<String>,
    text: &str,
    digest_read: Option<Digest>,
) -> Result<SaveOutcome, Envelope> {
    let (source, text) = (source.into(), text.to_owned());
    let request = SaveSource { source, text, digest_read, with_problems: false };
    machine.runtime().save_source(&request, Some(&machine.project()))
}

fn copy(machine: &Machine, source: &str, id: &str) -> Result<SavedSource, Envelope> {
    let target = NewSource { id: id.parse().unwrap(), project: false, replace: false };
    let request = CopySource { source: source.to_owned(), target };
    machine.runtime().copy_source(&request, Some(&machine.project()))
}

fn own(machine: &Machine, name: &str) -> PathBuf {
    machine.project().join(".piton/workflows").join(name)
}

#[test]
fn a_file_is_read_with_its_place_its_digest_and_what_is_wrong_with_it() {
    let machine = Machine::in_memory();
    let text = two_steps("project.good");
    let good = machine.write("project/.piton/workflows/good.json", &text);
    let found = source(&machine, "project.good").unwrap();
    assert_eq!(found.text, text);
    assert_eq!(found.digest, Digest::of(&FileBytes(&fs::read(&good).unwrap())));
    assert_eq!(found.path, Some(good.display().to_string()));
    assert_eq!((found.source_kind, found.is_read_only), (SourceKind::Project, false));
    assert!(found.check.is_sound && found.check.dialect == Some(Dialect::Strict), "{found:?}");

    // A file that does not load is found by its path, and by the id that it would have.
    let broken = "{\"id\": \"project.bad\",\n \"nam\": 1, \"steps\": [\n  {\"id\": 7}]}";
    let bad = machine.write("project/.piton/workflows/bad.json", broken);
    let by_path = source(&machine, bad.to_str().unwrap()).unwrap();
    assert_eq!(source(&machine, "project.bad").unwrap(), by_path);
    assert_eq!((by_path.workflow_id, by_path.check.is_sound), (None, false));
    let place = |code| {
        let mut problems = by_path.check.problems.iter();
        let found = problems.find(|found| found.problem.code == code).unwrap();
        (found.range.line, found.range.column)
    };
    assert_eq!(place(ProblemCode::UnknownField), (2, 2));
    assert_eq!(place(ProblemCode::WrongType), (3, 4));
    // Nothing else on the machine is.
    let outside = machine.write("outside.json", &two_steps("project.outside"));
    assert_eq!(
        source(&machine, outside.to_str().unwrap()).unwrap_err().code,
        Code::ValidationError
    );
}

#[test]
fn a_file_that_is_shadowed_names_the_one_that_counts() {
    let machine = Machine::in_memory();
    let weak = machine.write(".config/piton/workflows/a.json", &two_steps("project.same"));
    let strong = machine.write("project/.piton/workflows/b.json", &two_steps("project.same"));
    for reference in ["project.same", weak.to_str().unwrap(), strong.to_str().unwrap()] {
        let found = source(&machine, reference).unwrap();
        assert_eq!(found.shadowed.len(), 1, "{reference}");
        assert_eq!(found.shadowed[0].path, weak.display().to_string());
        assert_eq!(found.shadowed[0].by, strong.display().to_string());
    }
}

#[test]
fn a_text_is_checked_without_being_saved() {
    let machine = Machine::in_memory();
    let check = |text: &str| {
        let request = CheckSource { source: None, text: text.to_owned() };
        machine.runtime().check_source(&request, Some(&machine.project()))
    };
    assert!(check(&two_steps("user.new")).is_sound);
    // The namespace of what ships with Piton is nobody else's.
    let reserved = check(&two_steps("wr.mine"));
    assert_eq!(reserved.problems[0].problem.code, ProblemCode::ReservedNamespace);
    let broken = check("{\n  \"id\": \"user.x\",,\n}");
    assert_eq!((broken.problems.len(), broken.problems[0].range.line), (1, 2));
    assert!(!broken.problems[0].problem.fix.is_empty());
    let huge = check(&" ".repeat((1 << 20) + 1));
    assert!(!huge.is_sound && huge.dialect.is_none());
    assert!(!machine.user_dir().join("workflows").exists());
}

#[test]
fn a_file_is_saved_only_over_the_version_that_was_read() {
    let machine = Machine::in_memory();
    let path = machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let read = source(&machine, "project.good").unwrap();
    let mine = read.text.replace("A sample", "Mine");
    let SaveOutcome::Saved(saved) =
        save(&machine, "project.good", &mine, Some(read.digest)).unwrap()
    else {
        panic!("nobody else wrote it");
    };
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(saved.digest, source(&machine, "project.good").unwrap().digest);
    // Whoever read the version before is shown both.
    let theirs = read.text.replace("A sample", "Theirs");
    let SaveOutcome::Conflict(conflict) =
        save(&machine, "project.good", &theirs, Some(read.digest)).unwrap()
    else {
        panic!("the file is another");
    };
    assert_eq!((conflict.text.as_ref(), conflict.digest), (Some(&mine), Some(saved.digest)));
    assert!(conflict.lines.iter().any(|line| line.text.contains("Theirs")), "{conflict:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
    // So is somebody whose file was removed meanwhile.
    fs::remove_file(&path).unwrap();
    let by_path = save(&machine, path.to_str().unwrap(), &theirs, Some(saved.digest)).unwrap();
    assert!(matches!(by_path, SaveOutcome::Conflict(gone) if gone.text.is_none()));
    assert!(!path.exists());
    // Nothing is left beside the files.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn a_text_that_does_not_load_is_saved_only_if_that_is_wanted() {
    let machine = Machine::in_memory();
    let path = machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    let read = source(&machine, "project.good").unwrap();
    let outcome = save(&machine, "project.good", "{", Some(read.digest)).unwrap();
    assert!(matches!(outcome, SaveOutcome::Unsound { check } if check.problems.len() == 1));
    assert_eq!(fs::read_to_string(&path).unwrap(), read.text);
    let request = SaveSource {
        source: "project.good".to_owned(),
        text: "{".to_owned(),
        digest_read: Some(read.digest),
        with_problems: true,
    };
    machine.runtime().save_source(&request, Some(&machine.project())).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");
}

#[test]
fn a_new_file_is_saved_only_where_workflows_are_looked_for() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    let text = two_steps("project.new");
    let new = own(&machine, "new.json");
    assert!(matches!(
        save(&machine, new.to_str().unwrap(), &text, None).unwrap(),
        SaveOutcome::Saved(_)
    ));
    assert_eq!(source(&machine, "project.new").unwrap().path, Some(new.display().to_string()));
    // The user's directory is made if it does not exist yet.
    let first = machine.user_dir().join("workflows/first.json");
    let first = save(&machine, first.to_str().unwrap(), &two_steps("user.first"), None).unwrap();
    assert!(matches!(first, SaveOutcome::Saved(_)));
    // A second one with the same name is a conflict.
    let again = save(&machine, new.to_str().unwrap(), &text, None).unwrap();
    assert!(matches!(again, SaveOutcome::Conflict(_)));
    let elsewhere = [
        machine.project().join("new.json"),
        own(&machine, "../new.json"),
        own(&machine, "../../../new.json"),
        own(&machine, "new.sh"),
        own(&machine, ".hidden.json"),
        own(&machine, "a/b/c/d/e/new.json"),
        PathBuf::from("new.json"),
    ];
    for path in elsewhere {
        save(&machine, path.to_str().unwrap(), &text, None).unwrap_err();
        assert!(!path.exists(), "{}", path.display());
    }
}

#[test]
fn a_link_out_of_the_directories_of_workflows_is_not_written_through() {
    let machine = Machine::in_memory();
    let precious = machine.write("precious.json", &two_steps("project.linked"));
    machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    symlink(&precious, own(&machine, "linked.json")).unwrap();
    symlink(machine.home().join("nothing.json"), own(&machine, "dangling.json")).unwrap();
    let before = fs::read(&precious).unwrap();
    let read = source(&machine, "project.linked").unwrap();
    let text = two_steps("project.other");
    let refused = save(&machine, "project.linked", &text, Some(read.digest)).unwrap_err();
    assert!(refused.message.contains("in no directory of workflows"), "{}", refused.message);
    let dangling = own(&machine, "dangling.json");
    save(&machine, dangling.to_str().unwrap(), &text, None).unwrap_err();
    assert_eq!(fs::read(&precious).unwrap(), before);
    assert!(!machine.home().join("nothing.json").exists());
    // One that stays inside is followed, and stays a link.
    symlink("good.json", own(&machine, "alias.json")).unwrap();
    let alias = own(&machine, "alias.json");
    let read = source(&machine, alias.to_str().unwrap()).unwrap();
    save(&machine, alias.to_str().unwrap(), &text, Some(read.digest)).unwrap();
    assert!(fs::symlink_metadata(&alias).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(own(&machine, "good.json")).unwrap(), text);
}

#[test]
fn of_several_saves_of_one_version_one_wins() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    let read = source(&machine, "project.good").unwrap();
    let runtime = machine.runtime();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let one = |name: usize| {
            let text = read.text.replace("A sample", &format!("Sample {name}"));
            let request = SaveSource {
                source: "project.good".to_owned(),
                text,
                digest_read: Some(read.digest),
                with_problems: false,
            };
            let (runtime, project) = (&runtime, machine.project());
            scope.spawn(move || runtime.save_source(&request, Some(&project)))
        };
        let running: Vec<_> = (0..8).map(one).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let won = outcomes.iter().filter(|one| matches!(one, Ok(SaveOutcome::Saved(_)))).count();
    assert_eq!(won, 1, "{outcomes:?}");
    // The others saw the winner, or were asked to repeat.
    let is_refused = |one: &Result<SaveOutcome, Envelope>| match one {
        Ok(SaveOutcome::Conflict(conflict)) => conflict.digest != Some(read.digest),
        Ok(_) => true,
        Err(error) => error.message.contains("Another program is saving"),
    };
    assert!(outcomes.iter().all(is_refused), "{outcomes:?}");
}

// shows: WR-509
#[test]
fn what_ships_with_piton_is_read_and_copied_but_never_changed() {
    let machine = Machine::in_memory();
    let tour = source(&machine, "wr.tour").unwrap();
    assert_eq!((tour.is_read_only, tour.path.as_ref()), (true, None));
    assert!(tour.check.is_sound, "{:?}", tour.check);
    let refused = save(&machine, "wr.tour", &tour.text, Some(tour.digest)).unwrap_err();
    assert!(refused.suggestion.contains("piton workflow fork wr.tour user.tour"));
    let copied = copy(&machine, "wr.tour", "user.my_tour").unwrap();
    let mine = source(&machine, "user.my_tour").unwrap();
    assert_eq!((Some(&copied.path), copied.digest), (mine.path.as_ref(), mine.digest));
    // Only the id differs.
    assert_eq!(mine.text.replace("user.my_tour", "wr.tour"), tour.text);
    // A copy does not replace what is there, and is no way into the namespace of others.
    assert!(
        copy(&machine, "wr.tour", "project.my_tour")
            .unwrap_err()
            .message
            .contains("already exists")
    );
    copy(&machine, "user.my_tour", "wr.stolen").unwrap_err();
    assert_eq!(source(&machine, "user.my_tour").unwrap(), mine);
}

// shows: WR-512
// shows in part: WR-510 (the source and the compiled view)
#[test]
fn the_compiled_form_names_the_provenance_of_each_part_and_the_inputs_of_its_hash() {
    let machine = Machine::in_memory();
    let text = two_steps("project.good")
        .replace("\"steps\"", "\"features\": [\"wr.features.closing_review\"], \"steps\"");
    machine.write("project/.piton/workflows/good.json", &text);
    let compiled =
        machine.runtime().workflow_compiled("project.good", Some(&machine.project())).unwrap();
    assert_eq!(compiled.workflow_hash, compiled.workflow.workflow_hash());
    assert_eq!(compiled.files[0].digest, source(&machine, "project.good").unwrap().digest);
    let steps: Vec<&str> =
        compiled.hash_inputs.iter().filter_map(|one| one.part.strip_prefix("steps/")).collect();
    let ids: Vec<&str> = compiled.workflow.steps.iter().map(|step| step.step_id.as_str()).collect();
    assert_eq!(steps, ids);
    let last = compiled.workflow.steps.last().unwrap();
    assert_eq!(last.provenance.origin_id.as_deref(), Some("wr.features.closing_review"));
    // A change of one step changes its part, and no other.
    machine.write(
        "project/.piton/workflows/good.json",
        &text.replacen("\"title\":", "\"notesOptional\": true, \"title\":", 1),
    );
    let changed =
        machine.runtime().workflow_compiled("project.good", Some(&machine.project())).unwrap();
    let differing: Vec<&str> = changed
        .hash_inputs
        .iter()
        .filter(|one| !compiled.hash_inputs.contains(one))
        .map(|one| one.part.as_str())
        .collect();
    assert_eq!(differing, [format!("steps/{}", ids[0])]);
    assert_ne!(changed.workflow_hash, compiled.workflow_hash);
}

// shows: WR-508
#[test]
fn what_was_compiled_is_no_source_and_cannot_be_saved_as_one() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/good.json", &two_steps("project.good"));
    let read = source(&machine, "project.good").unwrap();
    let compiled = machine.runtime().workflow_compiled("project.good", Some(&machine.project()));
    let text = serde_json::to_string_pretty(&compiled.unwrap().workflow).unwrap();
    let outcome = save(&machine, "project.good", &text, Some(read.digest)).unwrap();
    let SaveOutcome::Unsound { check } = outcome else { panic!("it is no source: {outcome:?}") };
    let code = |code| check.problems.iter().any(|found| found.problem.code == code);
    assert!(code(ProblemCode::UnknownField), "{check:?}");
    assert_eq!(source(&machine, "project.good").unwrap(), read);
}

// shows in part: WR-516 (what an editor is given)
#[test]
fn an_editor_completes_from_what_the_compiler_knows() {
    let machine = Machine::in_memory();
    machine.write("project/.piton/workflows/routines/look.json", &two_steps("project.look"));
    let completions = machine.runtime().source_completions(Some(&machine.project()));
    assert!(completions.builtins.iter().any(|one| one.id == "wr.contracts.loop_control"));
    assert_eq!(completions.routines, ["wr.templates.routine.look"]);
    assert!(completions.workflows.iter().any(|id| id.as_str() == "wr.tour"));
}
