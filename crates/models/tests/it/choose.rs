//! Which provider a call goes to.

use std::sync::Arc;

use piton_core::Code;
use piton_models::testing::{ModelServer, ScriptedReply};
use piton_models::{Providers, Request, WireFormat};

use crate::site::{HOW, KEY, OneKey, ask, name, question, settings};

// shows in part: CT-076 (a call's provider goes before the default; what is said when there is none)
#[tokio::test]
async fn a_call_goes_to_whom_it_names_else_to_the_default_and_to_nobody_else() {
    let server = ModelServer::start().await;
    let known =
        || vec![settings(&server, WireFormat::OpenAi), settings(&server, WireFormat::Anthropic)];
    let client = |default| Providers::new(known(), default, Arc::new(OneKey(KEY))).unwrap();
    let naming = |provider| Request { provider, ..question(WireFormat::OpenAi) };
    let [openai, anthropic, ollama] =
        [WireFormat::OpenAi, WireFormat::Anthropic, WireFormat::Ollama]
            .map(|wire| Some(name(wire)));
    for how in HOW {
        for (named, default, answers) in [
            (&openai, &anthropic, &openai),
            (&None, &anthropic, &anthropic),
            (&anthropic, &None, &anthropic),
        ] {
            server.push_reply(ScriptedReply::text("here"));
            let answer = ask(&client(default.clone()), &naming(named.clone()), how).await.1;
            assert_eq!(Some(answer.unwrap().provider), *answers, "{named:?} {default:?} {how:?}");
        }
        let sent = server.seen().len();
        for (named, default, words) in [
            (&None, &None, "no provider is named, and there is no default"),
            (
                &ollama,
                &openai,
                "the provider ollama is not configured; there is: anthropic, openai",
            ),
        ] {
            let error = ask(&client(default.clone()), &naming(named.clone()), how).await.1;
            let error = error.unwrap_err();
            assert_eq!(
                (error.code(), error.to_string()),
                (Code::ModelNotConfigured, words.to_owned())
            );
        }
        assert_eq!(server.seen().len(), sent, "it does not fall through to the default");
    }
}
