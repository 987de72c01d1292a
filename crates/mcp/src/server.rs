//! The server of one agent: maps the protocol to the use cases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piton_core::{Envelope, truncate};
use piton_runtime::config::Answers;
use piton_runtime::{Connection, Whereabouts};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestParams,
    CompleteResult, CompletionInfo, ConstString as _, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::time::Instant;

use crate::answer::{call_result, failure_text, gets_structured};
use crate::bounds::QUOTED_BYTES_MAX;
use crate::call::call;
use crate::catalogue::{Catalogue, Hints, ToolCard};
use crate::list_changes::{ListChanges, ServedList};
use crate::log::{CallLog, CallOutcome, Called};
use crate::offered_tools::{OfferedTools, offered, with_map};
use crate::person::AtClient;
use crate::progress::wait;
use crate::prompts::{KnownPrompts, filled_prompt, prompts};
use crate::resources;
use crate::roots::client_root;
use crate::sets::{ServerBuilder, ToolReply, ToolSet};

/// Tools that read the workflow files, and so notice when there are others.
const READS_LIBRARY: [&str; 3] = ["list_workflows", "inspect_workflow", "start_workflow"];

/// The server of one agent.
pub(crate) struct Server {
    connection: Arc<Connection>,
    sets: Vec<Arc<dyn ToolSet>>,
    log: Option<Arc<dyn CallLog>>,
    listing: OfferedTools,
    prompts: KnownPrompts,
    changes: ListChanges,
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
        let (prompts, changes) = (KnownPrompts::default(), ListChanges::default());
        let answers = offer.runtime.applied().answers();
        Self { connection, sets, log, listing, prompts, changes, answers, asks_roots, is_local }
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
        self.changes.notify(ServedList::Tools, context).await;
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
        if self.is_local && READS_LIBRARY.contains(&card.name) {
            self.note_prompts(&context).await;
        }
        let to_ask = person.into_question();
        self.note(card.name, began, made.as_ref().ok(), to_ask.is_some());
        let made = made?;
        Ok(match to_ask {
            Some(question) => CallToolResponse::InputRequired(question),
            None => call_result(made, gets_structured(self.answers, client.as_deref())).into(),
        })
    }

    /// Notifies the client if there are other prompts than those that it knows.
    async fn note_prompts(&self, context: &RequestContext<RoleServer>) {
        // A call that reports why the workflows cannot be listed was made just now.
        let Ok(prompts) = prompts(&self.connection) else { return };
        if self.prompts.note(&prompts) {
            self.changes.notify(ServedList::Prompts, context).await;
        }
    }

    async fn look_around(&self, context: &RequestContext<RoleServer>) {
        if self.asks_roots.swap(false, Ordering::Relaxed) {
            self.connection.moved_to(client_root(context).await);
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        if self.is_local {
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = Some(true);
            }
            if let Some(prompts) = &mut capabilities.prompts {
                prompts.list_changed = Some(true);
            }
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

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.look_around(&context).await;
        let prompts = prompts(&self.connection).map_err(|envelope| failed(&envelope))?;
        self.prompts.listed(&prompts);
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.look_around(&context).await;
        let filled = filled_prompt(&self.connection, &request.name, request.arguments.as_ref());
        let filled = filled.map_err(|envelope| failed(&envelope))?;
        let prompt = filled.ok_or_else(|| {
            let name = truncate(&request.name, QUOTED_BYTES_MAX);
            let words = format!(
                "There is no prompt `{name}`. There is one for each workflow that list_workflows shows."
            );
            ErrorData::invalid_params(words, None)
        })?;
        Ok(GetPromptResponse::Complete(prompt))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.look_around(&context).await;
        let listed = Box::pin(resources::resources(&self.connection)).await;
        Ok(ListResourcesResult::with_all_items(listed.map_err(|envelope| failed(&envelope))?))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = Box::pin(resources::read(&self.connection, &request.uri)).await?;
        Ok(ReadResourceResponse::Complete(read))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.look_around(&context).await;
        let completion = match &request.r#ref {
            Reference::Resource(template) => {
                let argument = &request.argument;
                let (name, typed) = (&argument.name, &argument.value);
                let completing = resources::complete(&self.connection, &template.uri, name, typed);
                Box::pin(completing).await.map_err(|envelope| failed(&envelope))?
            }
            // A goal is the person's own words.
            _ => CompletionInfo::default(),
        };
        Ok(CompleteResult::new(completion))
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
        accepted.prompts_list_changed = Some(true);
        self.is_local.then_some(accepted)
    }

    async fn listen(&self, listener: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes.listen(listener).await
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

/// Converts a failure that no call returns.
fn failed(envelope: &Envelope) -> ErrorData {
    ErrorData::internal_error(failure_text(envelope), None)
}

fn no_method(name: &str) -> ErrorData {
    let words = format!("There is no method `{name}` here.");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}
