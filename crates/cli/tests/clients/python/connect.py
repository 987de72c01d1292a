"""The two lines of the SDK behind one shape: what an agent's host does with them, and nothing more."""

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Awaitable, Callable

import mcp
from mcp import types
from mcp.client.stdio import StdioServerParameters, stdio_client

# The first revision without a handshake.
STATELESS = "2026-07-28"


@dataclass
class Connected:
    """What a walk needs of a client. Models are turned into what was on the wire, so that both lines look alike."""

    revision: str
    server: str
    instructions: str
    client: Any

    async def tools(self) -> list[dict]:
        return [wire(tool) for tool in (await self.client.list_tools()).tools]

    async def prompts(self) -> list[dict]:
        return [wire(prompt) for prompt in (await self.client.list_prompts()).prompts]

    async def prompt(self, name: str, arguments: dict) -> dict:
        return wire(await self.client.get_prompt(name, arguments))

    async def resources(self) -> list[dict]:
        return [wire(resource) for resource in (await self.client.list_resources()).resources]

    async def read(self, uri: str) -> list[dict]:
        return wire(await self.client.read_resource(uri))["contents"]

    async def call(self, name: str, arguments: dict) -> dict:
        return wire(await self.client.call_tool(name, arguments, progress_callback=ignored))


def connect(
    task: dict, roots: Callable[[], Awaitable[None]] | None = None, changed: Callable[[], None] | None = None
):
    """Connects as `task` says; `roots`, if there, is awaited when the server asks where the agent works, and `changed`
    is called when it says, in a revision with a handshake, that there are other tools."""
    line = first if task["line"] == "python-1" else second
    return line(task["revision"], task["server"], {**answering(roots), **following(changed)})


@asynccontextmanager
async def first(revision, server, callbacks):
    """Version 1, which always offers the newest revision that it knows: that is set."""
    from mcp.client.streamable_http import streamable_http_client

    types.LATEST_PROTOCOL_VERSION = revision
    transport = streamable_http_client(server["url"]) if "url" in server else stdio_client(command(server))
    async with transport as (read, write, *_), mcp.ClientSession(read, write, **callbacks) as session:
        hello = await session.initialize()
        yield Connected(hello.protocolVersion, hello.serverInfo.name, hello.instructions, session)


@asynccontextmanager
async def second(revision, server, callbacks):
    """Version 2, which is told the revision without a handshake, and offers its newest with one: that is set."""
    import mcp.client.session

    mcp.client.session.LATEST_HANDSHAKE_VERSION = revision
    # Pinned without having asked, it would know nothing of the server.
    mode = "auto" if revision == STATELESS else "legacy"
    where = server.get("url") or command(server)
    async with mcp.Client(where, mode=mode, **callbacks) as client:
        yield Connected(client.protocol_version, client.server_info.name, client.instructions, client)


def answering(roots) -> dict:
    async def callback(_context):
        await roots()
        return types.ListRootsResult(roots=[])

    return {"list_roots_callback": callback} if roots else {}


def following(changed) -> dict:
    async def handler(message):
        # One line wraps what it was told, the other does not.
        if getattr(getattr(message, "root", message), "method", None) == "notifications/tools/list_changed":
            changed()

    return {"message_handler": handler} if changed else {}


def command(server: dict) -> StdioServerParameters:
    return StdioServerParameters(command=server["command"], args=["mcp"], cwd=server["cwd"], env=server["env"])


def wire(model) -> dict:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def ignored(_progress, _total, _message) -> None:
    """Progress is asked for; how much there is depends on the machine."""
