// A client that measures: it does what a line of its input says, and answers with a line of how long that took.
//
// Its times are those of an agent's host: from the call of the SDK to its answer, with what the SDK does in between.

import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PITON_CLIENTS}/typescript/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

let client;
let transport;

const does = {
  async open(server) {
    transport = new StdioClientTransport({ ...server, stderr: "inherit" });
    client = new Client({ name: "piton-bench", version: "1.0.0" });
    await client.connect(transport);
    return { pid: transport.pid };
  },
  async ping() {
    await client.ping();
    return {};
  },
  async call(params) {
    const { structuredContent, isError } = await client.callTool(params);
    return { structuredContent, isError: isError ?? false };
  },
  async close() {
    await client.close();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[name, argument]] = Object.entries(JSON.parse(line));
  const begun = performance.now();
  const came = await does[name](argument);
  const milliseconds = performance.now() - begun;
  process.stdout.write(`${JSON.stringify({ milliseconds, came })}\n`);
}
await client?.close();
