// The two lines of the SDK behind one shape: what an agent's host does with them, and nothing more.

import { createRequire } from "node:module";

// The packages are installed outside of the source tree; PITON_CLIENTS says where.
export const require = createRequire(`${process.env.PITON_CLIENTS}/typescript/`);

/** The first revision without a handshake. */
const STATELESS = "2026-07-28";

const INFO = { name: "piton-walk", version: "1.0.0" };

/**
 * Connects to a server, and returns what a walk needs of the client.
 *
 * `line` is `sdk-1` or `sdk-2`; `server` is `{ url }` or `{ command, cwd, env }`; `roots`, if there, answers when the
 * server asks where the agent works; `changed`, if there, is given the tools whenever the server says that there are
 * others.
 */
export async function connect({ line, revision, server, roots, changed }) {
  const made = line === "sdk-1" ? first(revision, roots, changed) : second(revision, roots, changed);
  const transport = made.transport(server);
  await made.client.connect(transport);
  return {
    revision: made.revision(transport),
    server: made.client.getServerVersion(),
    instructions: made.client.getInstructions(),
    tools: async () => (await made.client.listTools()).tools,
    prompts: async () => (await made.client.listPrompts()).prompts,
    prompt: (name, args) => made.client.getPrompt({ name, arguments: args }),
    resources: async () => (await made.client.listResources()).resources,
    templates: async () => (await made.client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await made.client.readResource({ uri })).contents,
    complete: async (uri, name, value) =>
      (await made.client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } })).completion.values,
    call: (name, args, options) => made.call({ name, arguments: args }, options),
    close: () => made.client.close(),
  };
}

/** `@modelcontextprotocol/sdk`, which always offers its newest revision: the offer is rewritten on its way out. */
function first(revision, roots, changed) {
  const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { ListRootsRequestSchema } = require("@modelcontextprotocol/sdk/types.js");
  const client = new Client(INFO, { capabilities: roots ? { roots: {} } : {}, ...following(changed) });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, roots);
  let negotiated;
  return {
    client,
    transport(server) {
      const transport = chosen(server, StdioClientTransport, StreamableHTTPClientTransport);
      const send = transport.send.bind(transport);
      transport.send = (message, options) => {
        if (message.method === "initialize") message.params.protocolVersion = revision;
        return send(message, options);
      };
      const set = transport.setProtocolVersion?.bind(transport);
      transport.setProtocolVersion = (version) => {
        negotiated = version;
        set?.(version);
      };
      return transport;
    },
    revision: () => negotiated,
    call: (params, options) => client.callTool(params, undefined, options),
  };
}

/** `@modelcontextprotocol/client`, which is told the revision. */
function second(revision, roots, changed) {
  const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
  const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
  const mode = revision === STATELESS ? { pin: revision } : "legacy";
  const client = new Client(INFO, {
    capabilities: roots ? { roots: {} } : {},
    supportedProtocolVersions: [revision],
    versionNegotiation: { mode },
    ...following(changed),
  });
  if (roots) client.setRequestHandler("roots/list", roots);
  return {
    client,
    transport: (server) => chosen(server, StdioClientTransport, StreamableHTTPClientTransport),
    revision: () => client.getNegotiatedProtocolVersion(),
    call: (params, options) => client.callTool(params, options),
  };
}

/** Both lines ask for the tools themselves when they are told of a change; neither is to wait for a second one. */
function following(changed) {
  const onChanged = (error, tools) => {
    if (error) throw error;
    changed(tools);
  };
  return changed ? { listChanged: { tools: { onChanged, debounceMs: 0 } } } : {};
}

function chosen({ url, command, cwd, env }, Stdio, Http) {
  return url ? new Http(new URL(url)) : new Stdio({ command, args: ["mcp"], cwd, env, stderr: "inherit" });
}
