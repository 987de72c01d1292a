//! The client that plays a script.

use piton_core::Code;
use piton_models::{Error, Message, Request, Scripted, Usage};
use serde_json::json;

use crate::site::{HOW, How, ask};

#[tokio::test]
async fn answers_come_in_order_and_questions_are_remembered() {
    let limited = Error::NotConfigured { what: "no".to_owned() };
    let client = Scripted::new([
        Ok(Scripted::text("first one")),
        Ok(Scripted::call("look", json!({ "at": 1 }))),
        Err(limited.clone()),
    ]);
    let request = Request::new(vec![Message::user("hello")]);
    let (texts, answer) = ask(&client, &request, How::Pieces).await;
    assert_eq!(
        (texts.concat(), answer.unwrap().text),
        ("first one".to_owned(), "first one".to_owned())
    );
    let answer = ask(&client, &request, How::Whole).await.1.unwrap();
    assert_eq!(answer.tool_calls[0].arguments, json!({ "at": 1 }));
    assert_eq!(ask(&client, &request, How::Whole).await.1, Err(limited));
    for how in HOW {
        let over = ask(&client, &request, how).await.1.unwrap_err();
        assert_eq!(over.code(), Code::ModelNotConfigured);
    }
    assert_eq!(client.requests().len(), 5);
}

#[test]
fn usage_adds_up_without_inventing_what_nobody_said() {
    let some = Usage { input_tokens: Some(3), output_tokens: None, cached_tokens: None };
    let more = Usage { input_tokens: Some(4), output_tokens: Some(1), cached_tokens: None };
    let sum = Usage { input_tokens: Some(7), output_tokens: Some(1), cached_tokens: None };
    assert_eq!(some.plus(more), sum);
    // What a provider says is not to be trusted to add up.
    let mad = Usage { input_tokens: Some(u64::MAX), ..more };
    assert_eq!((mad.total(), mad.plus(more).total()), (u64::MAX, u64::MAX));
}
