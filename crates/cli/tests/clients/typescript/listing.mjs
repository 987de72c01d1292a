// Follows the list of tools through the steps of a workflow, as an agent's host does that is told of each change.
//
// Its one argument is a JSON object: `line`, `revision` and `server` as `connect` takes them, `workflow`, an id, and
// `tool`, a name. The last line that it prints says in which of the lists that tool was: before the run, and after each
// call that moved it.

import assert from "node:assert/strict";

import { connect } from "./connect.mjs";

const task = JSON.parse(process.argv[2]);
const lists = [];
let wake = () => {};

const client = await connect({
  ...task,
  changed(tools) {
    lists.push(tools);
    wake();
  },
});
assert.equal(client.revision, task.revision);

/** Calls a tool that moves the run, and waits until the client was told what may be touched now. */
async function moves(tool, args) {
  const known = lists.length;
  const result = await client.call(tool, args);
  assert.ok(!result.isError, `${tool}: ${result.content[0].text}`);
  while (lists.length === known) await new Promise((told) => (wake = told));
  return result.structuredContent;
}

lists.push(await client.tools());
let reply = await moves("start_workflow", { workflowId: task.workflow, goal: "see" });
while (!reply.isComplete) {
  const output = { notesMarkdown: "Done." };
  reply = await moves("continue_workflow", { ackToken: reply.ackToken, output });
}
console.log(JSON.stringify(lists.map((tools) => tools.some((tool) => tool.name === task.tool))));
await client.close();
