//! What people call a run.

use piton_core::RunId;
use piton_workflow::label::{Label, NotALabel, label};

#[test]
fn the_labels_of_runs_never_change() {
    let labels = |byte: u8| label(RunId::from_bytes([byte; 16])).to_string();
    let all: Vec<String> = (0..=u8::MAX).map(labels).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn the_first_byte_of_a_run_chooses_the_first_word_and_the_last_byte_the_second() {
    let mut bytes = [7; 16];
    (bytes[0], bytes[15]) = (4, 201);
    assert_eq!(label(RunId::from_bytes(bytes)).to_string(), "amber-oyster");
}

#[test]
fn a_label_is_read_as_it_is_written_and_nothing_else_is_one() {
    for byte in 0..=u8::MAX {
        let label = label(RunId::from_bytes([byte; 16]));
        assert_eq!(label.to_string().parse(), Ok(label));
    }
    for text in
        ["", "amber", "amber-", "otter-amber", "Amber-otter", "amber-otter-x", "amber otter"]
    {
        assert_eq!(text.parse::<Label>(), Err(NotALabel), "{text}");
    }
}
