"""Walks a whole workflow through Piton as an agent's host does, and stops at the first surprise.

Its one argument is a JSON object: `line` (`python-1` or `python-2`), `revision`, `server` (`{url}` or
`{command, cwd, env}`), `project`, a directory, and `schemas`, where the published schemas are. The last line that it
prints says what it saw.
"""

import json
import re
import sys

import anyio

from connect import STATELESS, connect
from shapes import Shapes
from tour import NOTHING, output

TOOLS = [
    "list_workflows",
    "inspect_workflow",
    "start_workflow",
    "continue_workflow",
    "checkpoint_workflow",
    "get_artifact",
    "resume_session",
]

TASK = json.loads(sys.argv[1])
SHAPES = Shapes(TASK["schemas"])
START = {"workflowId": "wr.tour", "goal": "see what this is", "projectDir": TASK["project"]}


def check(holds, found=None):
    """Unlike `assert`, it is never optimised away."""
    if not holds:
        raise AssertionError(found)


def same(found, expected):
    check(found == expected, f"{found!r} is not {expected!r}")


async def ask(client, tool, arguments):
    """Calls a tool that answers, and returns the structured content."""
    result = await client.call(tool, arguments)
    text = result["content"][0]["text"]
    check(not result.get("isError"), f"{tool}: {text}")
    SHAPES.answer(tool, result["structuredContent"])
    return result["structuredContent"]


async def refused(client, tool, arguments):
    """Calls a tool that refuses, and returns the code. What it says is a result, so a model reads it."""
    result = await client.call(tool, arguments)
    text = result["content"][0]["text"]
    check(result["isError"], f"{tool}: {text}")
    envelope = result["structuredContent"]
    SHAPES.envelope(envelope)
    for part in ["code", "message", "suggestion"]:
        check(envelope[part] in text, f"{part} is missing in {text}")
    return envelope["code"]


async def looks_around(client):
    same(client.revision, TASK["revision"])
    same(client.server, "piton")
    check("start_workflow" in client.instructions)
    tools = await client.tools()
    same([tool["name"] for tool in tools], TOOLS)
    check(all(tool["description"] and tool["inputSchema"]["type"] == "object" for tool in tools), tools)
    listed = await ask(client, "list_workflows", {"projectDir": TASK["project"]})
    check(any(workflow["workflowId"] == "wr.tour" for workflow in listed["workflows"]), listed)
    inspected = await ask(client, "inspect_workflow", {"workflowId": "wr.tour", "mode": "preview"})
    same(inspected["stepTitles"][0], "Leave notes")
    check(re.fullmatch("sha256:[0-9a-f]{64}", inspected["entry"]["workflowHash"]), inspected)


async def submit(client, reply, handed=None):
    """Submits the pending step, and returns the next reply."""
    call = {**reply["nextCall"]["params"], "output": handed or output(reply)}
    return await ask(client, "continue_workflow", call)


async def is_blocked_once(client, reply):
    """Is refused once at the pending step, mends it, and makes sure that a repetition changes nothing."""
    blocked = await submit(client, reply, NOTHING)
    same(blocked["kind"], "blocked")
    check(blocked["blockers"]["blockers"], blocked)
    same(blocked["pending"]["stepId"], reply["pending"]["stepId"])
    check(blocked["ackToken"] != reply["ackToken"], "the token of a blocked reply is a new one")
    same(await submit(client, reply, NOTHING), blocked)
    following = await submit(client, blocked)
    same(following["kind"], "ok")
    same(await submit(client, blocked), following)
    return following


async def bookmarks(client, reply):
    arguments = reply["checkpointCall"]["params"]
    bookmark = await ask(client, "checkpoint_workflow", arguments)
    same(await ask(client, "checkpoint_workflow", arguments), bookmark)
    back = await ask(client, "continue_workflow", {"stateToken": bookmark["stateToken"]})
    same(back["pending"]["stepId"], reply["pending"]["stepId"])
    check(reply["pending"]["prompt"] in back["pending"]["prompt"], back)


async def comes_back(client, reply):
    found = await ask(client, "resume_session", {"query": "wr.tour"})
    [candidate] = [one for one in found["candidates"] if one["runId"] == reply["run"]["runId"]]
    same(candidate["status"], "in_progress")
    again = await ask(client, candidate["nextCall"]["tool"], candidate["nextCall"]["params"])
    same(again["pending"]["stepId"], reply["pending"]["stepId"])
    return again


async def reads(client, reply):
    """Finds the workflow among the prompts, and what was done so far among the resources."""
    [prompt] = [one for one in await client.prompts() if one["name"] == "wr.tour"]
    same([argument["name"] for argument in prompt["arguments"]], ["goal"])
    [message] = (await client.prompt("wr.tour", {"goal": "see more"}))["messages"]
    asked = 'start_workflow with {"goal":"see more","workflowId":"wr.tour"}'
    check(asked in message["content"]["text"], message)
    uri = f"piton://run/{reply['run']['runId']}/recap"
    check(any(one["uri"] == uri for one in await client.resources()), uri)
    [recap] = await client.read(uri)
    for part in [reply["run"]["label"], "Project: a sample"]:
        check(part in recap["text"], recap)


def forged(token):
    """Changes the end of a token, where its signature is."""
    return token[:-4] + ("BBBB" if token.endswith("AAAA") else "AAAA")


async def is_refused(client, reply):
    other = await ask(client, "start_workflow", START)
    hand = {"output": NOTHING}
    crossed = {"ackToken": reply["ackToken"], "stateToken": other["stateToken"]}
    for tool, arguments, code in [
        ("start_workflow", {"workflowId": "wr.tuor"}, "VALIDATION_ERROR"),
        ("start_workflow", {"workflow": "wr.tour"}, "VALIDATION_ERROR"),
        ("continue_workflow", {"ackToken": forged(reply["ackToken"]), **hand}, "TOKEN_BAD_SIGNATURE"),
        ("continue_workflow", {"ackToken": forged(reply["nextCall"]["params"]["ackToken"]), **hand}, "TOKEN_.*"),
        ("continue_workflow", {"ackToken": reply["stateToken"], **hand}, "TOKEN_SCOPE_MISMATCH"),
        ("continue_workflow", crossed, "TOKEN_SCOPE_MISMATCH"),
        ("checkpoint_workflow", {"checkpointToken": "nonsense"}, "TOKEN_INVALID_FORMAT"),
        ("resume_session", {"sessionId": "sess_00000000000000000000000000"}, "SESSION_NOT_FOUND"),
    ]:
        found = await refused(client, tool, arguments)
        check(re.fullmatch(code, found), f"{found} is not {code}: {arguments}")
    try:
        await client.call("no_such_tool", {})
    except Exception as error:
        check("no_such_tool" in str(error), error)
    else:
        raise AssertionError("a tool that is not there answered")


async def insists(client, tool, arguments):
    """Makes a call again for as long as the refusal says that this may work, and waits as long as it says."""
    for _ in range(50):
        result = await client.call(tool, arguments)
        retry = result["structuredContent"].get("retry", {"kind": "not_retryable"})
        if retry["kind"] == "not_retryable":
            return result
        await anyio.sleep(retry.get("afterMs", 0) / 1000)
    raise AssertionError(result)


async def gives_up(client, asked, answered):
    """Gives up a call that is under way, as a host does when its person stops the agent, and makes it again."""
    arguments = {**START, "goal": "be given up", "startKey": f"given-up-{TASK['line']}"}

    async with anyio.create_task_group() as tasks:
        scope = anyio.CancelScope()

        async def given_up():
            with scope:
                await client.call("start_workflow", arguments)

        tasks.start_soon(given_up)
        await asked.wait()
        scope.cancel()
    answered.set()
    # The call that was given up may still be writing.
    reply = (await insists(client, "start_workflow", arguments))["structuredContent"]
    same(await ask(client, "start_workflow", arguments), reply)


async def slowly(asked, answered):
    """An answer that comes when the call that waited for it was given up."""
    asked.set()
    await answered.wait()


async def walk():
    async with connect(TASK) as client:
        await looks_around(client)
        first = await ask(client, "start_workflow", {**START, "startKey": TASK["line"]})
        same(await ask(client, "start_workflow", {**START, "startKey": TASK["line"]}), first)
        reply = await is_blocked_once(client, first)
        await bookmarks(client, reply)

    async with connect(TASK) as client:
        reply = await comes_back(client, reply)
        await reads(client, reply)
        await is_refused(client, reply)
        steps = []
        while not reply["isComplete"]:
            check(len(steps) < 20, steps)
            steps.append(reply["pending"]["stepId"])
            reply = await (is_blocked_once if len(steps) == 1 else submit)(client, reply)
        same(reply["nextIntent"], "complete")
        same(steps, ["refusal", "guess", "again", "guess", "again", "going_back"])

    # Over a pipe, revisions with roots let a call be caught while it waits.
    is_caught = "command" in TASK["server"] and TASK["revision"] != STATELESS
    asked, answered = anyio.Event(), anyio.Event()
    if not is_caught:
        asked.set()
    async with connect(TASK, (lambda: slowly(asked, answered)) if is_caught else None) as client:
        await gives_up(client, asked, answered)
    return {"revision": client.revision, "label": first["run"]["label"], "runId": first["run"]["runId"]}


print(json.dumps(anyio.run(walk)))
