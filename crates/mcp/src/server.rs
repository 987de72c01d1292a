//! One agent's server: what the protocol asks, handed to the use cases.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use piton_core::truncate;
use piton_runtime::{Connection, Runtime, Whereabouts};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString as _, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use crate::bounds::QUOTED_BYTES_MAX;
use crate::call::call;
use crate::catalogue::{Hints, INSTRUCTIONS, ToolName};
use crate::patience::wait;
use crate::roots::client_root;

/// The tools as the protocol lists them, in their order.
static TOOLS: LazyLock<BTreeMap<ToolName, Tool>> =
    LazyLock::new(|| ToolName::ALL.iter().map(|name| (*name, tool(*name))).collect());

/// One agent's server.
pub(crate) struct Server {
    connection: Connection,
    /// Whether the client is to be asked where its roots are before the next call.
    asks_roots: AtomicBool,
    /// Whether it is ever asked. Over HTTP a root may be a path of another machine.
    is_local: bool,
}

impl Server {
    /// The server of an agent on this machine, which started it.
    pub(crate) fn local(runtime: &Arc<Runtime>, whereabouts: Whereabouts) -> Self {
        let connection = runtime.connect(whereabouts);
        Self { connection, asks_roots: AtomicBool::new(true), is_local: true }
    }

    /// The server of an agent anywhere. It knows no directory but those that are named.
    pub(crate) fn remote(runtime: &Arc<Runtime>) -> Self {
        let connection = runtime.connect(Whereabouts::default());
        Self { connection, asks_roots: AtomicBool::new(false), is_local: false }
    }

    async fn look_around(&self, context: &RequestContext<RoleServer>) {
        if self.asks_roots.swap(false, Ordering::Relaxed) {
            self.connection.moved_to(client_root(context).await);
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let piton = Implementation::new("piton", env!("CARGO_PKG_VERSION")).with_title("Piton");
        ServerConfig::new(capabilities).with_server_info(piton).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.values().cloned().collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.get(&ToolName::from_str(name).ok()?).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = ToolName::from_str(&request.name).map_err(|_| no_tool(&request.name))?;
        let schema = &TOOLS[&name].input_schema;
        let arguments = request.arguments.unwrap_or_default();
        let work = async {
            self.look_around(&context).await;
            call(&self.connection, name, schema, arguments).await
        };
        wait(work, &context).await.map(CallToolResponse::from)
    }

    // What is not declared is not there; without these, there would be empty lists.

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_method(ListPromptsRequestMethod::VALUE))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_method(ListResourcesRequestMethod::VALUE))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_method(ListResourceTemplatesRequestMethod::VALUE))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_method(CompleteRequestMethod::VALUE))
    }

    /// What the protocol does not know. A call whose parameters have the wrong shape comes here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = truncate(&request.method, QUOTED_BYTES_MAX);
        if request.method == CallToolRequestMethod::VALUE {
            let words = format!(
                "`params` of {method} must be a JSON object with `name`, a text, and `arguments`, a JSON object."
            );
            return Err(ErrorData::invalid_params(words, None));
        }
        Err(no_method(&method))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.asks_roots.store(self.is_local, Ordering::Relaxed);
    }
}

fn tool(name: ToolName) -> Tool {
    let Hints { read_only, idempotent } = name.hints();
    let hints = ToolAnnotations::new()
        .read_only(read_only)
        .destructive(false)
        .idempotent(idempotent)
        .open_world(false);
    Tool::new(name.as_str(), name.description(), name.input_schema())
        .with_title(name.title())
        .with_annotations(hints)
}

fn no_method(name: &str) -> ErrorData {
    let words = format!("There is no method `{name}` here.");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}

fn no_tool(name: &str) -> ErrorData {
    let name = truncate(name, QUOTED_BYTES_MAX);
    let words = format!("There is no tool `{name}`. There is {}.", ToolName::NAMES.join(", "));
    ErrorData::invalid_params(words, None)
}
