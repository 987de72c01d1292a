"""A loop of one LangGraph node that counts down.

"loop N" walks it without a checkpointer and "memory N" with the one in memory; both are answered with CPU
nanoseconds. "durable N FILE" walks it with the checkpointer for SQLite, each step on disk before the next begins, and
is answered with the nanoseconds that passed.
"""

import sqlite3
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    left: int


def turn(state: State) -> State:
    return {"left": state["left"] - 1}


def graph(checkpointer=None):
    builder = StateGraph(State)
    builder.add_node("turn", turn)
    builder.add_edge(START, "turn")
    builder.add_conditional_edges("turn", lambda state: "turn" if state["left"] else END, ["turn", END])
    return builder.compile(checkpointer=checkpointer)


def walk(graph, count, clock, **how):
    config = {"recursion_limit": count + 1, "configurable": {"thread_id": "1"}}
    before = clock()
    state = graph.invoke({"left": count}, config, **how)
    took = clock() - before
    assert state["left"] == 0, state
    return took


for line in sys.stdin:
    what, count, *rest = line.split(maxsplit=2)
    count = int(count)
    if what == "loop":
        took = walk(graph(), count, time.process_time_ns)
    elif what == "memory":
        took = walk(graph(InMemorySaver()), count, time.process_time_ns)
    elif what == "durable":
        connection = sqlite3.connect(rest[0].strip(), check_same_thread=False)
        saver = SqliteSaver(connection)
        saver.setup()
        took = walk(graph(saver), count, time.perf_counter_ns, durability="sync")
        connection.close()
    else:
        raise ValueError(line)
    print(took, flush=True)
