//! The server of one agent: maps the protocol to the use cases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piton_core::{Envelope, truncate};
use piton_runtime::config::Answers;
use piton_runtime::{Connection, Whereabouts};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ConstString as _, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::time::Instant;

use crate::answer::{call_result, gets_structured};
use crate::bounds::QUOTED_BYTES_MAX;
use crate::call::call;
use crate::catalogue::{Catalogue, Hints, ToolCard};
use crate::log::{CallLog, CallOutcome, Called};
use crate::offered_tools::{OfferedTools, offered, with_map};
use crate::person::AtClient;
use crate::progress::wait;
use crate::roots::client_root;
use crate::sets::{ServerBuilder, ToolReply, ToolSet};

/// The server of one agent.
pub(crate) struct Server {
    connection: Arc<Connection>,
    sets: Vec<Arc<dyn ToolSet>>,
    log: Option<Arc<dyn CallLog>>,
    listing: OfferedTools,
    answers: Answers,
    /// Set when the client must be asked for its roots before the next call.
    asks_roots: AtomicBool,
    /// Set when the client may be asked at all. Over HTTP, a root may be a path on another machine.
    is_local: bool,
}

impl Server {
    /// Creates the server of an agent on this machine, which started it.
    pub(crate) fn local(offer: &ServerBuilder, whereabouts: Whereabouts) -> Self {
        Self::new(offer, offer.runtime.connect(whereabouts), true)
    }

    /// Creates the server of an agent anywhere. It knows only directories that are named.
    pub(crate) fn remote(offer: &ServerBuilder) -> Self {
        Self::new(offer, offer.runtime.connect_once(), false)
    }

    fn new(offer: &ServerBuilder, connection: Connection, is_local: bool) -> Self {
        let connection = Arc::new(connection);
        let sets = offer.sets(&connection);
        let asks_roots = AtomicBool::new(is_local);
        let (log, listing) = (offer.log.clone(), OfferedTools::default());
        let answers = offer.runtime.applied().answers();
        Self { connection, sets, log, listing, answers, asks_roots, is_local }
    }

    /// Returns the sets, for a caller that outlives the server.
    pub(crate) fn sets(&self) -> Vec<Arc<dyn ToolSet>> {
        self.sets.clone()
    }

    /// Returns every tool, set by set.
    fn cards(&self) -> impl Iterator<Item = (&dyn ToolSet, &ToolCard)> {
        self.sets
            .iter()
            .flat_map(|set| set.catalogue().tools.iter().map(move |card| (&**set, card)))
    }

    fn card(&self, name: &str) -> Option<(&dyn ToolSet, &ToolCard)> {
        self.cards().find(|(_, card)| card.name == name)
    }

    /// Returns the instructions that agents read when they connect: the part of each set.
    fn instructions(&self) -> String {
        let parts: Vec<&str> =
            self.sets.iter().map(|set| set.catalogue().instructions.as_str()).collect();
        parts.join("\n\n")
    }

    /// Logs a call that ended. Without `made`, the client cancelled it.
    fn note(
        &self,
        tool: &'static str,
        began: Instant,
        made: Option<&Result<ToolReply, Envelope>>,
        is_asking: bool,
    ) {
        let Some(log) = &self.log else { return };
        let (run, outcome, code) = match made {
            None => (None, CallOutcome::Cancelled, None),
            Some(Err(envelope)) => (None, CallOutcome::Failed, Some(envelope.code)),
            Some(Ok(reply)) if is_asking => (reply.run.clone(), CallOutcome::Asked, None),
            Some(Ok(reply)) => (reply.run.clone(), reply.outcome, None),
        };
        log.called(&Called { tool, run, outcome, code, took: began.elapsed() });
    }

    fn no_tool(&self, name: &str) -> ErrorData {
        let name = truncate(name, QUOTED_BYTES_MAX);
        let names: Vec<&str> = self.cards().map(|(_, card)| card.name).collect();
        let words = format!("There is no tool `{name}`. There is {}.", names.join(", "));
        ErrorData::invalid_params(words, None)
    }

    /// Processes the outcome of a call that may have advanced a run. If that changed the agent's access, notifies it.
    async fn moved(
        &self,
        made: Result<Result<ToolReply, Envelope>, ErrorData>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<ToolReply, Envelope>, ErrorData> {
        let Ok(left) = self.connection.step_accesses().await else { return made };
        if !self.listing.note(&left) {
            return made;
        }
        self.listing.notify_changed(context).await;
        made.map(|made| with_map(made, &self.sets, &left))
    }

    async fn called(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (set, card) = self.card(&request.name).ok_or_else(|| self.no_tool(&request.name))?;
        let began = Instant::now();
        let person = AtClient::new(&context, &request);
        let arguments = request.arguments.unwrap_or_default();
        let client = context.client_info().map(|client| client.name);
        if let Some(client) = &client {
            // The sets attribute what a call does to this name.
            self.connection.named(client);
        }
        let work = async {
            self.look_around(&context).await;
            call(set, card, arguments, &person).await
        };
        let made = wait(work, &context).await;
        let made = if set.moves_runs() { self.moved(made, &context).await } else { made };
        let to_ask = person.into_question();
        self.note(card.name, began, made.as_ref().ok(), to_ask.is_some());
        let made = made?;
        Ok(match to_ask {
            Some(question) => CallToolResponse::InputRequired(question),
            None => call_result(made, gets_structured(self.answers, client.as_deref())).into(),
        })
    }

    async fn look_around(&self, context: &RequestContext<RoleServer>) {
        if self.asks_roots.swap(false, Ordering::Relaxed) {
            self.connection.moved_to(client_root(context).await);
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if let Some(tools) = capabilities.tools.as_mut().filter(|_| self.is_local) {
            tools.list_changed = Some(true);
        }
        let piton = Implementation::new("piton", env!("CARGO_PKG_VERSION")).with_title("Piton");
        ServerConfig::new(capabilities)
            .with_server_info(piton)
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let left = Box::pin(self.connection.step_accesses()).await.unwrap_or_default();
        let offered = self.sets.iter().flat_map(|set| offered(&**set, &left));
        Ok(ListToolsResult::with_all_items(offered.map(tool).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.card(name).map(|(_, card)| tool(card))
    }

    fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send {
        // rmcp moves the future of a request several times on its way into a task, and this one has room for whatever
        // any tool needs.
        Box::pin(self.called(request, context))
    }

    // Undeclared capabilities must not exist; without these methods, there would be empty lists.

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

    /// Answers requests that the protocol does not know. A call whose parameters have the wrong shape arrives here too.
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

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = Some(true);
        self.is_local.then_some(accepted)
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        self.listing.listen(listener).await
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.asks_roots.store(self.is_local, Ordering::Relaxed);
    }
}

/// Returns the tools of a catalogue in the form of the protocol.
pub fn listed(catalogue: &Catalogue) -> Vec<Value> {
    let value = |card| serde_json::to_value(tool(card)).expect("a tool has a JSON form");
    catalogue.tools.iter().map(value).collect()
}

/// Converts a tool to the form of the protocol.
fn tool(card: &ToolCard) -> Tool {
    let Hints { read_only, destructive, idempotent } = card.hints;
    let hints = ToolAnnotations::new()
        .read_only(read_only)
        .destructive(destructive)
        .idempotent(idempotent)
        .open_world(false);
    Tool::new(card.name, card.description.clone(), Arc::clone(&card.input))
        .with_title(card.title)
        .with_annotations(hints)
}

fn no_method(name: &str) -> ErrorData {
    let words = format!("There is no method `{name}` here.");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}
