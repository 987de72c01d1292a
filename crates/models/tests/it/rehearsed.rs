//! The client that answers by rules.

use piton_core::Code;
use piton_models::{Message, Rehearsed, Request, Rule};
use serde_json::{Value, json};

use crate::site::{HOW, ask};

fn rules(value: Value) -> Vec<Rule> {
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn the_first_rule_that_fits_answers_as_often_as_it_is_asked() {
    let client = Rehearsed::new(rules(json!([
        { "when": ["prices", "2027"], "say": "they rise" },
        { "when": ["prices"], "call": { "name": "look", "arguments": { "at": 1 } } },
        { "when": ["hello"], "say": "hello to you" },
    ])))
    .unwrap();
    let asked = |texts: &[&str]| {
        let mut messages = vec![Message::system("You know prices.")];
        messages.extend(texts.iter().map(|text| Message::user(*text)));
        Request::new(messages)
    };
    for how in HOW {
        for _ in 0..2 {
            let answer = ask(&client, &asked(&["the year", "2027"]), how).await.1;
            assert_eq!(answer.unwrap().text, "they rise");
            let called = ask(&client, &asked(&["hello"]), how).await.1.unwrap();
            assert_eq!(called.tool_calls[0].arguments, json!({ "at": 1 }));
        }
        let unknown = Request::new(vec![Message::user("goodbye")]);
        let refused = ask(&client, &unknown, how).await.1.unwrap_err();
        assert_eq!(refused.code(), Code::ModelNotConfigured);
    }
}

#[test]
fn rules_that_cannot_be_meant_are_refused() {
    assert!(Rehearsed::new(Vec::new()).is_err());
    let empty = rules(json!([{ "when": [""], "say": "x" }]));
    assert!(Rehearsed::new(empty).unwrap_err().to_string().contains("rehearsed[0].when"));
    for bad in [
        json!({}),
        json!({ "say": "a", "call": { "name": "b", "arguments": {} } }),
        json!({ "wehn": ["a"], "say": "b" }),
    ] {
        assert!(serde_json::from_value::<Rule>(bad.clone()).is_err(), "{bad}");
    }
}
