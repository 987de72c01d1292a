"""A loop of one PocketFlow node that does nothing.

Each line "loop N" is answered with the CPU nanoseconds it took.
"""

import sys
import time

from pocketflow import Flow, Node


class Turn(Node):
    def post(self, shared, prep_res, exec_res):
        shared["left"] -= 1
        return "end" if shared["left"] == 0 else "again"


for line in sys.stdin:
    what, count = line.split()
    assert what == "loop", line
    turn = Turn()
    turn - "again" >> turn
    turn - "end" >> Node()
    shared = {"left": int(count)}
    before = time.process_time_ns()
    Flow(start=turn).run(shared)
    took = time.process_time_ns() - before
    assert shared["left"] == 0, shared
    print(took, flush=True)
