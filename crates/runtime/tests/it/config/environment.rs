//! Variables of the environment.

use std::path::Path;

use crate::rig::Machine;

#[test]
fn a_variable_with_a_bad_value_is_told() {
    let cases = [
        ("PITON_AUTONOMY", "bold", "`bold` is not one of: guided"),
        ("PITON_HTTP_PORT", "70000", "`70000` is not a whole number from 0 to 65535"),
        ("PITON_RETENTION_DAYS", "0", "`0` is not a whole number from 1 to 36500"),
        ("PITON_HTTP_BIND", "localhost", "`localhost` is not an IP address"),
    ];
    for (name, value, reason) in cases {
        let mut machine = Machine::in_memory();
        machine.set(name, value);
        let problems = machine.configuration().unwrap_err();
        assert_eq!(problems.len(), 1, "{name}");
        assert_eq!(problems[0].place, name);
        assert!(problems[0].reason.starts_with(reason), "{}", problems[0]);
    }
}

#[test]
fn a_name_close_to_a_known_one_is_told_and_another_is_not() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_DATADIR", "/x");
    machine.set("PITON_LONG", "1");
    let problems = machine.configuration().unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].fix.contains("PITON_DATA_DIR"), "{}", problems[0]);
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let mut machine = Machine::in_memory();
    machine.set("PITON_AUTONOMY", "");
    assert!(machine.configuration().is_ok());
}

#[test]
fn directories_are_listed_with_the_delimiter_of_the_system() {
    let mut machine = Machine::in_memory();
    let listed = std::env::join_paths(["/a", "b", "~/c"]).unwrap();
    machine.set("PITON_WORKFLOW_DIRS", listed.to_str().unwrap());
    let settings = machine.configuration().unwrap().settings();
    let expected =
        [Path::new("/a").to_path_buf(), machine.project().join("b"), machine.home().join("c")];
    assert_eq!(settings.workflow_dirs().0, expected);
}

#[test]
fn the_configuration_directory_is_the_one_of_the_desktop_standard() {
    let mut machine = Machine::in_memory();
    assert_eq!(machine.environment().user_dir(), Some(machine.user_dir()));
    machine.set("XDG_CONFIG_HOME", "/etc/xdg");
    assert_eq!(machine.environment().user_dir(), Some("/etc/xdg/piton".into()));
    machine.set("XDG_CONFIG_HOME", "relative");
    assert_eq!(machine.environment().user_dir(), Some(machine.user_dir()));
}
