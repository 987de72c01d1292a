//! The server that the conformance suite asks for: what is listed and what it does, from `fixtures.json`.

use std::sync::LazyLock;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    Prompt, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceTemplate, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::asks::{Asked, Asks};
use super::client;

static FIXTURES: LazyLock<Fixtures> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../conformance/fixtures.json")).unwrap()
});

#[derive(Deserialize)]
struct Fixtures {
    tools: Vec<ToolFixture>,
    resources: Vec<ResourceFixture>,
    template: ResourceTemplate,
    prompts: Vec<PromptFixture>,
}

#[derive(Deserialize)]
struct ToolFixture {
    tool: Tool,
    does: Does,
}

#[derive(Deserialize)]
struct ResourceFixture {
    resource: Resource,
    result: Value,
}

#[derive(Deserialize)]
struct PromptFixture {
    prompt: Prompt,
    does: Does,
}

/// What a tool or a prompt does.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Does {
    /// This, with its arguments in place of their names in braces.
    Answers(Value),
    Logs(Vec<String>),
    Progresses(Vec<f64>),
    Samples,
    ElicitsMessage,
    Elicits(Value),
    Asks(Asks),
}

/// One connection of the suite.
pub(super) struct Fixture;

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("fixtures", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = FIXTURES.tools.iter().map(|fixture| fixture.tool.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = FIXTURES.tools.iter().map(|fixture| &fixture.tool);
        tools.find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut tools = FIXTURES.tools.iter();
        let fixture = tools.find(|fixture| fixture.tool.name == request.name);
        let does = &fixture.ok_or_else(|| missing("tool", &request.name))?.does;
        let arguments = request.arguments.unwrap_or_default();
        let text = match does {
            Does::Answers(answer) => {
                return Ok(filled::<CallToolResult>(answer, &arguments).into());
            }
            Does::Logs(lines) => client::log(&context, lines).await?,
            Does::Progresses(steps) => client::progress(&context, steps).await?,
            Does::Samples => client::sample(&context, &arguments["prompt"]).await?,
            Does::ElicitsMessage => client::elicit(&context, who(&arguments["message"])).await?,
            Does::Elicits(params) => client::elicit(&context, params.clone()).await?,
            Does::Asks(asks) => match asks.go_on(
                request.input_responses.as_ref(),
                request.request_state.as_deref(),
                &context,
            )? {
                Asked::More(more) => return Ok(more.into()),
                Asked::Enough(text) => text,
            },
        };
        Ok(filled::<CallToolResult>(
            &json!({ "content": [{ "type": "text", "text": text }] }),
            &arguments,
        )
        .into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = FIXTURES.prompts.iter().map(|fixture| fixture.prompt.clone());
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut prompts = FIXTURES.prompts.iter();
        let fixture = prompts.find(|fixture| fixture.prompt.name == request.name);
        let text = match &fixture.ok_or_else(|| missing("prompt", &request.name))?.does {
            Does::Answers(answer) => {
                let arguments = request.arguments.unwrap_or_default();
                return Ok(filled::<GetPromptResult>(answer, &arguments).into());
            }
            Does::Asks(asks) => match asks.go_on(
                request.input_responses.as_ref(),
                request.request_state.as_deref(),
                &context,
            )? {
                Asked::More(more) => return Ok(more.into()),
                Asked::Enough(text) => text,
            },
            _ => unreachable!("prompts answer or ask"),
        };
        let said = json!({ "type": "text", "text": text });
        let messages = json!({ "messages": [{ "role": "user", "content": said }] });
        Ok(filled::<GetPromptResult>(&messages, &JsonObject::new()).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = FIXTURES.resources.iter().map(|fixture| fixture.resource.clone());
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![FIXTURES.template.clone()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let mut resources = FIXTURES.resources.iter();
        if let Some(fixture) = resources.find(|fixture| fixture.resource.uri == *uri) {
            return Ok(filled::<ReadResourceResult>(&fixture.result, &JsonObject::new()).into());
        }
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let Some(id) = id else {
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found("There is no such resource.", Some(data)));
        };
        let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        let content =
            json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() });
        let result = json!({ "contents": [content] });
        Ok(filled::<ReadResourceResult>(&result, &JsonObject::new()).into())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// Who is asked: the user name and the address of the person.
fn who(message: &Value) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": { "username": text("The person's name"), "email": text("Their address") },
            "required": ["username", "email"],
        },
    })
}

/// A whole result, with arguments in place of their names in braces.
fn filled<T: DeserializeOwned>(result: &Value, arguments: &JsonObject) -> T {
    let mut result = result.clone();
    result["resultType"] = "complete".into();
    let mut text = result.to_string();
    for (name, argument) in arguments {
        let argument = argument.as_str().unwrap_or_default();
        text = text.replace(&format!("{{{name}}}"), argument);
    }
    serde_json::from_str(&text).unwrap()
}

fn missing(what: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no {what} `{name}`."), None)
}
