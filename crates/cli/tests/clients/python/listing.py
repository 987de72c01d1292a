"""Follows the list of tools through the steps of a workflow, as an agent's host does that is told of each change.

Its one argument is a JSON object: `line` (`python-1` or `python-2`), `revision` and `server` as `connect` takes them,
`workflow`, an id, and `tool`, a name. The last line that it prints says in which of the lists that tool was: before the
run, and after each call that moved it.
"""

import json
import sys

import anyio

from connect import STATELESS, connect

TASK = json.loads(sys.argv[1])


async def listen(client, changed, task_status=anyio.TASK_STATUS_IGNORED):
    """Without a handshake, who wants to know of changes asks for them."""
    async with client.client.listen(tools_list_changed=True) as changes:
        task_status.started()
        async for _ in changes:
            changed()


async def main():
    send, told = anyio.create_memory_object_stream(100)

    def changed():
        send.send_nowait(None)

    async with connect(TASK, changed=changed) as client, anyio.create_task_group() as tasks:
        if client.revision != TASK["revision"]:
            raise AssertionError(client.revision)
        if client.revision == STATELESS:
            await tasks.start(listen, client, changed)
        listed = []

        async def look():
            listed.append(any(tool["name"] == TASK["tool"] for tool in await client.tools()))

        async def moves(tool, arguments):
            """Calls a tool that moves the run, waits for the notice, and looks what may be touched now."""
            result = await client.call(tool, arguments)
            if result.get("isError"):
                raise AssertionError(result)
            await told.receive()
            await look()
            return result["structuredContent"]

        await look()
        reply = await moves("start_workflow", {"workflowId": TASK["workflow"], "goal": "see"})
        while not reply["isComplete"]:
            output = {"notesMarkdown": "Done."}
            reply = await moves("continue_workflow", {"ackToken": reply["ackToken"], "output": output})
        tasks.cancel_scope.cancel()
    print(json.dumps(listed))


anyio.run(main)
