//! Which provider a call goes to.

use piton_core::Code;
use piton_models::ProviderName;
use piton_models::provider::{Choice, ChosenBy, Wishes, choose};

fn name(text: &str) -> ProviderName {
    text.parse().unwrap()
}

// shows: CT-076 (the pure part: which provider, and what is said when there is none)
#[test]
fn the_call_goes_before_the_agent_and_the_agent_before_the_default() {
    let [a, b, c] = ["a", "b", "c"].map(name);
    let known = [&c, &a, &b];
    let chosen = |call, agent, default| {
        let choice = choose(Wishes { call, agent, default }, known).unwrap();
        (choice.provider.to_string(), choice.by)
    };
    assert_eq!(chosen(Some(&a), Some(&b), Some(&c)), ("a".to_owned(), ChosenBy::Call));
    assert_eq!(chosen(None, Some(&b), Some(&c)), ("b".to_owned(), ChosenBy::Agent));
    assert_eq!(chosen(None, None, Some(&c)), ("c".to_owned(), ChosenBy::Default));
}

// shows: CT-076 (the part about not configured)
#[test]
fn without_a_wish_or_with_one_that_cannot_be_met_nothing_is_configured() {
    let [a, b] = ["a", "b"].map(name);
    let nobody = choose(Wishes::default(), [&a]).unwrap_err();
    assert_eq!(nobody.code(), Code::ModelNotConfigured);
    let wishes = Wishes { call: None, agent: Some(&b), default: Some(&a) };
    let missing = choose(wishes, [&a]).unwrap_err();
    assert_eq!(missing.code(), Code::ModelNotConfigured, "it does not fall through to the default");
    let words = "the provider b (named by the agent) is not configured; there is: a";
    assert_eq!(missing.to_string(), words);
}

#[test]
fn a_choice_names_its_provider() {
    let a = name("a");
    let choice = choose(Wishes { call: Some(&a), ..Wishes::default() }, [&a]);
    assert_eq!(choice, Ok(Choice { provider: a, by: ChosenBy::Call }));
}
