// Walks a whole workflow through Piton as an agent's host does, and stops at the first surprise.
//
// Its one argument is a JSON object: `line`, `revision` and `server` as `connect` takes them, `project`, a directory,
// and `schemas`, where the published schemas are. The last line that it prints says what it saw.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

import { connect } from "./connect.mjs";
import { Shapes } from "./shapes.mjs";
import { NOTHING, output } from "./tour.mjs";

const TOOLS = [
  "list_workflows",
  "inspect_workflow",
  "start_workflow",
  "continue_workflow",
  "checkpoint_workflow",
  "get_artifact",
  "resume_session",
];

const task = JSON.parse(process.argv[2]);
const shapes = new Shapes(task.schemas);
const start = { workflowId: "wr.tour", goal: "see what this is", projectDir: task.project };

/** Calls a tool that answers, and returns the structured content. */
async function ask(client, tool, args) {
  const result = await client.call(tool, args);
  assert.ok(!result.isError, `${tool}: ${result.content[0].text}`);
  shapes.answer(tool, result.structuredContent);
  assert.ok(result.content[0].text.length > 0);
  return result.structuredContent;
}

/** Calls a tool that refuses, and returns the code. What it says is a result, so a model reads it. */
async function refused(client, tool, args) {
  const result = await client.call(tool, args);
  assert.equal(result.isError, true, `${tool}: ${result.content[0].text}`);
  const envelope = result.structuredContent;
  shapes.envelope(envelope);
  for (const words of [envelope.code, envelope.message, envelope.suggestion]) {
    assert.ok(result.content[0].text.includes(words), `${words} is missing in ${result.content[0].text}`);
  }
  return envelope.code;
}

async function looksAround(client) {
  assert.equal(client.revision, task.revision);
  assert.equal(client.server.name, "piton");
  assert.match(client.instructions, /start_workflow/);
  const tools = await client.tools();
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  assert.ok(tools.every((tool) => tool.description && tool.inputSchema.type === "object"));
  const listed = await ask(client, "list_workflows", { projectDir: task.project });
  assert.ok(listed.workflows.some((workflow) => workflow.workflowId === "wr.tour"), JSON.stringify(listed));
  const inspected = await ask(client, "inspect_workflow", { workflowId: "wr.tour", mode: "preview" });
  assert.equal(inspected.stepTitles[0], "Leave notes");
  assert.match(inspected.entry.workflowHash, /^sha256:[0-9a-f]{64}$/);
}

/** Submits the pending step, and returns the next reply. */
function handIn(client, reply, handed = output(reply.pending.stepId, reply.run.turn)) {
  return ask(client, "continue_workflow", { ...reply.nextCall.params, output: handed });
}

/** Is refused once at the pending step, mends it, and makes sure that a repetition changes nothing. */
async function isBlockedOnce(client, reply) {
  const blocked = await handIn(client, reply, NOTHING);
  assert.equal(blocked.kind, "blocked");
  assert.ok(blocked.blockers.blockers.length > 0);
  assert.equal(blocked.pending.stepId, reply.pending.stepId);
  assert.notEqual(blocked.ackToken, reply.ackToken);
  assert.deepEqual(await handIn(client, reply, NOTHING), blocked);
  const next = await handIn(client, blocked);
  assert.equal(next.kind, "ok");
  assert.deepEqual(await handIn(client, blocked), next);
  return next;
}

async function bookmarks(client, reply) {
  const args = reply.checkpointCall.params;
  const bookmark = await ask(client, "checkpoint_workflow", args);
  assert.deepEqual(await ask(client, "checkpoint_workflow", args), bookmark);
  const back = await ask(client, "continue_workflow", { stateToken: bookmark.stateToken });
  assert.equal(back.pending.stepId, reply.pending.stepId);
  assert.ok(back.pending.prompt.includes(reply.pending.prompt), back.pending.prompt);
}

async function comesBack(client, reply) {
  const found = await ask(client, "resume_session", { query: "wr.tour" });
  const candidate = found.candidates.find(({ runId }) => runId === reply.run.runId);
  assert.equal(candidate.status, "in_progress");
  const { tool, params } = candidate.nextCall;
  const again = await ask(client, tool, params);
  assert.equal(again.pending.stepId, reply.pending.stepId);
  return again;
}

/** Finds the workflow among the prompts, and what was done so far among the resources. */
async function reads(client, reply) {
  const prompt = (await client.prompts()).find(({ name }) => name === "wr.tour");
  assert.deepEqual(prompt.arguments.map(({ name }) => name), ["goal"]);
  const [message] = (await client.prompt("wr.tour", { goal: "see more" })).messages;
  assert.equal(message.role, "user");
  assert.ok(message.content.text.includes('start_workflow with {"goal":"see more","workflowId":"wr.tour"}'));
  const uri = `piton://run/${reply.run.runId}/recap`;
  assert.ok((await client.resources()).some((resource) => resource.uri === uri), uri);
  const [recap] = await client.read(uri);
  assert.ok(recap.text.includes(reply.run.label) && recap.text.includes("Project: a sample"), recap.text);
  const [template] = await client.templates();
  assert.ok((await client.complete(template.uriTemplate, "run", "")).includes(reply.run.label));
  await assert.rejects(client.read("piton://run/run_0/recap"), /no run/);
}

/** Changes the end of a token, where its signature is. */
function forged(token) {
  return token.slice(0, -4) + (token.endsWith("AAAA") ? "BBBB" : "AAAA");
}

async function isRefused(client, reply) {
  const other = await ask(client, "start_workflow", start);
  const hand = { output: NOTHING };
  for (const [tool, args, code] of [
    ["start_workflow", { workflowId: "wr.tuor" }, /^VALIDATION_ERROR$/],
    ["start_workflow", { workflow: "wr.tour" }, /^VALIDATION_ERROR$/],
    ["continue_workflow", { ackToken: forged(reply.ackToken), ...hand }, /^TOKEN_BAD_SIGNATURE$/],
    ["continue_workflow", { ackToken: forged(reply.nextCall.params.ackToken), ...hand }, /^TOKEN_/],
    ["continue_workflow", { ackToken: reply.stateToken, ...hand }, /^TOKEN_SCOPE_MISMATCH$/],
    ["continue_workflow", { ackToken: reply.ackToken, stateToken: other.stateToken }, /^TOKEN_SCOPE_MISMATCH$/],
    ["checkpoint_workflow", { checkpointToken: "nonsense" }, /^TOKEN_INVALID_FORMAT$/],
    ["resume_session", { sessionId: "sess_00000000000000000000000000" }, /^SESSION_NOT_FOUND$/],
  ]) {
    assert.match(await refused(client, tool, args), code, JSON.stringify(args));
  }
  await assert.rejects(client.call("no_such_tool", {}), /no_such_tool/);
}

/** Makes a call again for as long as the refusal says that this may work, and waits as long as it says. */
async function insists(client, tool, args) {
  for (let tries = 0; ; tries += 1) {
    const result = await client.call(tool, args, { onprogress: () => {} });
    const retry = result.isError && result.structuredContent.retry;
    if (!retry || retry.kind === "not_retryable") return result;
    assert.ok(tries < 50, result.content[0].text);
    await setTimeout(retry.afterMs ?? 0);
  }
}

/** Gives up a call that is under way, as a host does when its person stops the agent, and makes it again. */
async function givesUp(client, hasToWait) {
  const args = { ...start, goal: "be given up", startKey: `given-up-${task.line}` };
  const stop = new AbortController();
  const call = client.call("start_workflow", args, { signal: stop.signal, onprogress: () => {} });
  hasToWait?.then(() => stop.abort(new Error("given up")));
  if (!hasToWait) stop.abort(new Error("given up"));
  await assert.rejects(call, /given up/);
  // The call that was given up may still be writing.
  const reply = (await insists(client, "start_workflow", args)).structuredContent;
  assert.deepEqual(await ask(client, "start_workflow", args), reply);
}

/** What to connect with so that the first call waits until the client says where its roots are, and when it waits. */
function slowRoots() {
  let waits;
  const hasToWait = new Promise((resolve) => (waits = resolve));
  const roots = () => {
    waits();
    return new Promise(() => {});
  };
  return { roots, hasToWait };
}

async function walk() {
  let client = await connect(task);
  await looksAround(client);
  const first = await ask(client, "start_workflow", { ...start, startKey: task.line });
  assert.deepEqual(await ask(client, "start_workflow", { ...start, startKey: task.line }), first);
  let reply = await isBlockedOnce(client, first);
  await bookmarks(client, reply);
  await client.close();

  client = await connect(task);
  reply = await comesBack(client, reply);
  await reads(client, reply);
  await isRefused(client, reply);
  const steps = [];
  while (!reply.isComplete) {
    assert.ok(steps.length < 20, `${steps}`);
    steps.push(reply.pending.stepId);
    reply = await (steps.length === 1 ? isBlockedOnce(client, reply) : handIn(client, reply));
  }
  assert.equal(reply.nextIntent, "complete");
  assert.deepEqual(steps, ["refusal", "guess", "again", "guess", "again", "going_back"]);
  await client.close();

  // Over a pipe, revisions with roots let a call be caught while it waits.
  const isCaught = task.server.command && task.revision !== "2026-07-28";
  const { roots, hasToWait } = isCaught ? slowRoots() : {};
  client = await connect({ ...task, roots });
  await givesUp(client, hasToWait);
  await client.close();
  return { revision: client.revision, label: first.run.label, runId: first.run.runId };
}

console.log(JSON.stringify(await walk()));
