//! The JSON form, and validation.

use piton_backpack::{AccessControl, Backpack, Error, Filter, Options, PackOptions, Permissions};
use serde_json::{Value, json};

use crate::rig::{Rig, done, node, ports};

/// Changes a document.
type Edit<'a> = &'a dyn Fn(&mut Value);

fn load(text: &str) -> Result<Backpack, Error> {
    Backpack::from_json(text, ports(9).0)
}

/// A backpack with something of everything.
fn full() -> Rig {
    let rig = Rig::with(Options { max_value_size: 500, ..Options::default() });
    let a = rig.node_in("a", "sales.research");
    done(a.pack("plain", &json!({ "b": [1, null, "x"], "a": 1.5 })));
    done(a.pack("big", &"large".repeat(200)));
    done(a.pack_with("person", &"canary", &PackOptions::new().tagged(["pii"]).unwrap()));
    let only = PackOptions::new().limited(AccessControl::only([node("doctor")]));
    done(a.pack_with("record", &7, &only));
    done(a.pack("gone", &1));
    done(a.pack("bad", &"error".repeat(200)));
    let b = rig.limited("b", Permissions::none().reading(["plain"]).unwrap());
    assert!(b.unpack::<Value>("plain").unwrap().is_some());
    assert!(b.unpack::<Value>("person").is_err());
    done(a.delete("gone"));
    done(a.quarantine("bad", "wrong"));
    done(a.quarantine_value("retry_1", &"timeout", "a success follows"));
    done(a.pack("plain", &2));
    rig
}

fn same(left: &Backpack, right: &Backpack) {
    assert_eq!(left.id(), right.id());
    assert_eq!(left.origin(), right.origin());
    assert_eq!(left.options(), right.options());
    assert_eq!(left.debug().items(), right.debug().items());
    assert_eq!(left.debug().quarantined(), right.debug().quarantined());
    assert_eq!(left.permissions(&node("b")), right.permissions(&node("b")));
}

// shows: BP-061
#[test]
fn a_backpack_survives_its_json_form_with_its_history() {
    let rig = full();
    let text = rig.backpack.to_json().unwrap();
    let loaded = load(&text).unwrap();
    same(&rig.backpack, &loaded);
    let commits = rig.backpack.debug().history(&Filter::default()).unwrap();
    assert_eq!(loaded.debug().history(&Filter::default()).unwrap(), commits);
    for commit in &commits {
        let (ours, theirs) = (
            rig.backpack.snapshot_at_commit(commit.id()).unwrap(),
            loaded.snapshot_at_commit(commit.id()).unwrap(),
        );
        assert_eq!(ours.debug().items(), theirs.debug().items());
        assert_eq!(ours.debug().quarantined(), theirs.debug().quarantined());
    }
    assert_eq!(loaded.to_json().unwrap(), text);
}

// shows: BP-061
#[test]
fn a_document_with_fewer_commits_reaches_back_to_the_first_that_it_has() {
    let rig = full();
    let commits = rig.backpack.debug().history(&Filter::default()).unwrap();
    for window in 0..=commits.len() {
        let loaded = load(&rig.backpack.to_json_with(window).unwrap()).unwrap();
        same(&rig.backpack, &loaded);
        let (gone, kept) = commits.split_at(commits.len() - window);
        assert_eq!(loaded.debug().history(&Filter::default()).unwrap(), kept);
        for commit in kept {
            let (ours, theirs) = (
                rig.backpack.snapshot_at_commit(commit.id()).unwrap(),
                loaded.snapshot_at_commit(commit.id()).unwrap(),
            );
            assert_eq!(ours.debug().items(), theirs.debug().items());
        }
        for commit in gone {
            let error = loaded.snapshot_at_commit(commit.id()).unwrap_err();
            assert!(matches!(error, Error::BeforeHistory { .. }), "{error}");
        }
        let before_a = loaded.snapshot_before_node(&node("a"));
        assert_eq!(before_a.is_ok(), gone.is_empty());
        // It goes on where it stood.
        let next = done(loaded.scope(crate::rig::identity("c", "x"), None).unwrap().pack("n", &1));
        assert_eq!(next.number(), commits.len() as u64);
    }
}

// shows: BP-061, BP-062
#[test]
fn a_document_that_is_not_one_is_refused_and_the_error_says_where() {
    let text = full().backpack.to_json().unwrap();
    let change = |edit: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(&text).unwrap();
        edit(&mut document);
        load(&document.to_string()).unwrap_err()
    };
    let error = change(&|document| document["v"] = json!(2));
    assert!(matches!(error, Error::UnsupportedVersion { found: 2, known: 1 }), "{error}");
    let table: &[(Edit, &str)] = &[
        (&|d| d["format"] = json!("other"), "format: it is not `piton.backpack`"),
        (
            &|d| d["items"][0]["version"] = json!("one"),
            "invalid type: string \"one\", expected u64",
        ),
        (&|d| d["extra"] = json!(1), "unknown field `extra`"),
        (&|d| d["items"] = json!({}), "invalid type: map, expected a sequence"),
        (&|d| d["items"][0]["key"] = json!(""), "a key is empty"),
        (&|d| d["items"][0]["version"] = json!(9), "items: they are not what the commits lead to"),
        (&|d| d["items"][1] = d["items"][0].clone(), "items[1]: its key stands there already"),
        (
            &|d| d["commits"][3]["commit"] = d["commits"][2]["commit"].clone(),
            "commits[3]: its number",
        ),
        (&|d| d["commits"][3]["timestampMs"] = json!(1), "commits[3]: its time lies before"),
        (&|d| d["commits"][8]["key"] = json!("never"), "commits[8]: it needs an item"),
        (&|d| d["commits"][6]["act"]["found"] = json!(false), "commits[6]: it says that it found"),
        (
            &|d| {
                d.as_object_mut().unwrap().remove("permissions");
            },
            "missing field `permissions`",
        ),
        (&|d| d["permissions"]["b"]["namespaceRead"] = json!(["a..b"]), "empty segment"),
    ];
    for (edit, expected) in table {
        let error = change(*edit);
        assert!(matches!(error, Error::BadDocument { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}\nshould say: {expected}");
    }
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)).step_by(97) {
        let error = load(&text[..end]).unwrap_err();
        assert!(error.to_string().contains("line 1 column"), "{error}");
    }
}

// shows: BP-060
#[test]
fn a_validation_lists_every_violation_with_its_path() {
    let rig = Rig::new();
    let a = rig.node("a");
    done(a.pack("count", &"many"));
    done(a.pack("list", &json!([1, "two", 3])));
    done(a.pack_with("person", &"canary", &PackOptions::new().tagged(["pii"]).unwrap()));
    let schema = json!({
        "properties": {
            "count": { "type": "integer" },
            "list": { "items": { "type": "integer" } },
            "person": { "type": "integer" },
        },
        "required": ["missing"],
    });
    let found = rig.backpack.debug().validate(&schema).unwrap();
    let mut told: Vec<String> =
        found.violations.iter().map(|one| format!("{} {}", one.path, one.message)).collect();
    told.sort();
    assert_eq!(
        told,
        [
            " \"missing\" is a required property",
            "/count \"many\" is not of type \"integer\"",
            "/list/1 \"two\" is not of type \"integer\"",
            "/person value is not of type \"integer\"",
        ]
    );
    assert!(!found.is_valid() && found.left_out == 0);
    assert!(rig.backpack.debug().validate(&json!({ "type": "object" })).unwrap().is_valid());
    let error = rig.backpack.debug().validate(&json!({ "type": 7 })).unwrap_err();
    assert!(matches!(error, Error::BadSchema { .. }), "{error}");
}

// shows: BP-060
#[test]
fn a_validation_takes_a_type_that_derives_a_schema() {
    #[derive(schemars::JsonSchema)]
    struct State {
        #[expect(dead_code, reason = "only its schema is used")]
        count: u32,
    }
    let rig = Rig::new();
    done(rig.node("a").pack("count", &-1));
    let found = rig.backpack.debug().validate_as::<State>().unwrap();
    assert_eq!(found.violations[0].path, "/count");
    done(rig.node("a").pack("count", &1));
    assert!(rig.backpack.debug().validate_as::<State>().unwrap().is_valid());
}
