//! The routes with the types of their requests and replies, for the generator of the page's types.

use piton_core::Envelope;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::change_ring::ChangeNotice;
use crate::request::{ConsoleStatus, EnterConsole, SignedIn};
use crate::route::{NoFields, RouteMethod};
use crate::routes::{ENTER, LEAVE, STATUS, routes};

/// A route as the generator of the page's types reads it.
#[derive(Serialize)]
struct RouteTypes {
    method: RouteMethod,
    path: &'static str,
    schema: Option<&'static str>,
    request: Value,
    /// Nothing for a file.
    reply: Option<Value>,
}

/// Returns the routes with the schemas of their requests and replies, and of everything that these name.
pub fn describe() -> Value {
    // A request is described as it is read, a reply as it is written: a field that may be left out of the one is not the
    // same as a field that the other leaves out.
    let mut requests = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut replies = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut described: Vec<RouteTypes> = routes()
        .iter()
        .map(|route| RouteTypes {
            method: route.method,
            path: route.path,
            schema: route.schema,
            request: route.request.describe(&mut requests),
            reply: route.reply.map(|reply| reply.describe(&mut replies)),
        })
        .collect();
    let nothing = |requests: &mut SchemaGenerator| requests.subschema_for::<NoFields>().into();
    let by_hand = [
        (
            RouteMethod::Post,
            ENTER,
            requests.subschema_for::<EnterConsole>().into(),
            replies.subschema_for::<SignedIn>(),
        ),
        (
            RouteMethod::Post,
            LEAVE,
            nothing(&mut requests),
            replies.subschema_for::<ConsoleStatus>(),
        ),
        (
            RouteMethod::Get,
            STATUS,
            nothing(&mut requests),
            replies.subschema_for::<ConsoleStatus>(),
        ),
    ];
    described.extend(by_hand.into_iter().map(|(method, path, request, reply)| RouteTypes {
        method,
        path,
        schema: None,
        request,
        reply: Some(reply.into()),
    }));
    described.sort_by_key(|route| (route.path, route.method.as_str()));
    let change: Value = replies.subschema_for::<ChangeNotice>().into();
    let error: Value = replies.subschema_for::<Envelope>().into();
    let definitions =
        |mut generator: SchemaGenerator| -> Map<String, Value> { generator.take_definitions(true) };
    json!({
        "routes": described,
        "change": change,
        "error": error,
        "requests": definitions(requests),
        "replies": definitions(replies),
    })
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn a_name_in_a_path_is_a_field_of_the_request() {
        let described = describe();
        for route in described["routes"].as_array().unwrap() {
            let path = route["path"].as_str().unwrap();
            let names = path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
            let of = route["request"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            let fields = &described["requests"][of]["properties"];
            for (name, _) in names {
                assert!(fields.get(name).is_some(), "{path}: {fields}");
            }
        }
    }

    #[test]
    fn the_description_is_the_same_each_time() {
        assert_eq!(describe().to_string(), describe().to_string());
    }
}
