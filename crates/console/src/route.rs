//! A route of the API: method and path, the use case behind it, and the types of its request and reply.
//!
//! *Invariants*: a request is one type, whatever carries it: fields that the path names come from the path, the others
//! from the query of a `GET` or from the JSON body of a `POST`. In either, `project` in the query says which project is
//! meant. A reply names its schema. Only a `POST` changes
//! anything.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use piton_core::{Envelope, SessionId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bounds::{FILE_BYTES_MAX, REPLY_BYTES_MAX};
use crate::call_text::{CallText, refused};
use crate::entrance::Person;
use crate::project_view::ProjectView;

/// Path that all routes are below.
pub const API: &str = "/api/v1";

piton_core::closed_set! {
    /// What a route does.
    pub enum RouteMethod {
        /// Reads.
        Get => "GET",
        /// Changes something.
        Post => "POST",
    }
}

/// One request, as far as routes see it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) text: CallText,
    /// The body of a `POST`.
    pub(crate) body: Vec<u8>,
    pub(crate) person: Person,
}

/// The bytes of a reply, and its version if it knows one.
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) version: Option<String>,
}

/// A reply, while it is made.
type Answering = Pin<Box<dyn Future<Output = Result<Answer, Envelope>> + Send>>;
/// Reads the session of a request.
type SessionOf = Box<dyn Fn(&CallText) -> Result<SessionId, Envelope> + Send + Sync>;

/// The schema of a type, for the generator of the page's types. The program itself never asks for one, and the code
/// that would answer is a tenth of it, so it is there with the feature `schemas` alone.
#[derive(Clone, Copy, Debug)]
pub struct TypeSchema {
    #[cfg(feature = "schemas")]
    describe: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

impl TypeSchema {
    #[cfg_attr(
        not(feature = "schemas"),
        expect(clippy::extra_unused_type_parameters, reason = "only the schema is of the type")
    )]
    const fn of<T: JsonSchema>() -> Self {
        Self {
            #[cfg(feature = "schemas")]
            describe: schemars::SchemaGenerator::subschema_for::<T>,
        }
    }

    /// Returns the schema, and adds those that it names to the generator.
    #[cfg(feature = "schemas")]
    pub(crate) fn describe(self, generator: &mut schemars::SchemaGenerator) -> serde_json::Value {
        (self.describe)(generator).into()
    }
}

/// A route of the API.
pub struct Route {
    pub method: RouteMethod,
    /// Path below [`API`], with names in braces.
    pub path: &'static str,
    /// Name and version of the reply's shape. A file has none.
    pub schema: Option<&'static str>,
    /// Maximum size of a reply.
    pub(crate) reply_bytes_max: usize,
    pub request: TypeSchema,
    /// The type of the reply. A file has none.
    pub reply: Option<TypeSchema>,
    pub(crate) work: Box<dyn Fn(ProjectView, Call) -> Answering + Send + Sync>,
    /// The session that a reply follows from alone, if it does.
    session: Option<SessionOf>,
    /// Set if replies know the version of that session themselves.
    pub(crate) knows_version: bool,
}

impl fmt::Debug for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

/// A reply with the name of its schema.
#[derive(Serialize)]
struct Document<'a, Reply> {
    schema: &'a str,
    #[serde(flatten)]
    reply: &'a Reply,
}

/// A request without fields.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoFields {}

/// Creates a route that reads.
pub(crate) fn get<Asked, Reply, Doing>(
    path: &'static str,
    schema: &'static str,
    work: impl Fn(ProjectView, Asked) -> Doing + Copy + Send + Sync + 'static,
) -> Route
where
    Asked: DeserializeOwned + JsonSchema + Send + 'static,
    Reply: Serialize + JsonSchema + Send + 'static,
    Doing: Future<Output = Result<Reply, Envelope>> + Send + 'static,
{
    Route { knows_version: false, ..get_versioned(path, schema, |_| None, work) }
}

/// Creates a route that reads, whose replies know the version of the session that they follow from.
pub(crate) fn get_versioned<Asked, Reply, Doing>(
    path: &'static str,
    schema: &'static str,
    version: fn(&Reply) -> Option<String>,
    work: impl Fn(ProjectView, Asked) -> Doing + Copy + Send + Sync + 'static,
) -> Route
where
    Asked: DeserializeOwned + JsonSchema + Send + 'static,
    Reply: Serialize + JsonSchema + Send + 'static,
    Doing: Future<Output = Result<Reply, Envelope>> + Send + 'static,
{
    Route {
        method: RouteMethod::Get,
        path,
        schema: Some(schema),
        reply_bytes_max: REPLY_BYTES_MAX,
        request: TypeSchema::of::<Asked>(),
        reply: Some(TypeSchema::of::<Reply>()),
        work: Box::new(move |view, call| {
            Box::pin(async move {
                let reply = work(view, call.text.read()?).await?;
                Ok(Answer { bytes: document(schema, &reply), version: version(&reply) })
            })
        }),
        session: None,
        knows_version: true,
    }
}

/// Creates a route that sends a file.
pub(crate) fn file<Asked, Doing>(
    path: &'static str,
    work: impl Fn(ProjectView, Asked) -> Doing + Copy + Send + Sync + 'static,
) -> Route
where
    Asked: DeserializeOwned + JsonSchema + Send + 'static,
    Doing: Future<Output = Result<Vec<u8>, Envelope>> + Send + 'static,
{
    Route {
        method: RouteMethod::Get,
        path,
        schema: None,
        reply_bytes_max: FILE_BYTES_MAX,
        request: TypeSchema::of::<Asked>(),
        reply: None,
        work: Box::new(move |view, call| {
            Box::pin(async move {
                let bytes = work(view, call.text.read()?).await?;
                Ok(Answer { bytes, version: None })
            })
        }),
        session: None,
        knows_version: false,
    }
}

/// Creates a route that changes something, in the name of a person.
pub(crate) fn post<Asked, Reply, Doing>(
    path: &'static str,
    schema: &'static str,
    work: impl Fn(ProjectView, Person, Asked) -> Doing + Copy + Send + Sync + 'static,
) -> Route
where
    Asked: DeserializeOwned + JsonSchema + Send + 'static,
    Reply: Serialize + JsonSchema + Send + 'static,
    Doing: Future<Output = Result<Reply, Envelope>> + Send + 'static,
{
    Route {
        method: RouteMethod::Post,
        path,
        schema: Some(schema),
        reply_bytes_max: REPLY_BYTES_MAX,
        request: TypeSchema::of::<Asked>(),
        reply: Some(TypeSchema::of::<Reply>()),
        work: Box::new(move |view, call| {
            Box::pin(async move {
                let asked = read_body(&call.text, &call.body)?;
                let reply = work(view, call.person, asked).await?;
                Ok(Answer { bytes: document(schema, &reply), version: None })
            })
        }),
        session: None,
        knows_version: false,
    }
}

impl Route {
    /// Tags replies with the version of the session that they follow from, so that it costs one lookup to see that
    /// nothing changed.
    #[must_use]
    pub(crate) fn of_session<Asked: DeserializeOwned + 'static>(
        self,
        session: fn(&Asked) -> SessionId,
    ) -> Self {
        let read = move |text: &CallText| text.read().map(|asked| session(&asked));
        Self { session: Some(Box::new(read)), ..self }
    }

    /// Returns the session that a reply follows from alone.
    pub(crate) fn session(&self, text: &CallText) -> Result<Option<SessionId>, Envelope> {
        self.session.as_ref().map(|session| session(text)).transpose()
    }

    /// Allows replies that are larger than usual.
    #[must_use]
    pub(crate) fn with_bytes_max(self, reply_bytes_max: usize) -> Self {
        Self { reply_bytes_max, ..self }
    }
}

fn document(schema: &str, reply: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&Document { schema, reply }).expect("a reply is made of JSON's own types")
}

/// Reads the request of a `POST`: an object, with the fields that the path names.
fn read_body<Asked: DeserializeOwned>(text: &CallText, body: &[u8]) -> Result<Asked, Envelope> {
    let mut object: Map<String, Value> = match body {
        [] => Map::new(),
        body => serde_json::from_slice(body).map_err(|error| refused(&error.to_string()))?,
    };
    for (name, value) in text.pairs() {
        if object.insert(name.to_owned(), value.into()).is_some() {
            return Err(refused(&format!("`{name}` is in the path and in the body")));
        }
    }
    serde_json::from_value(object.into()).map_err(|error| refused(&error.to_string()))
}
